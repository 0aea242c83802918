import type { Plugin } from 'esbuild'
import type { FunctionSpec } from '#shared/manifest/index.ts'

/** The part of a function's manifest entry that its bundle depends on. */
export type Entry = Pick<FunctionSpec, 'name' | 'entry'> &
  Partial<Pick<FunctionSpec, 'trigger' | 'parts' | 'timeoutSeconds' | 'service'>>

const namespace = 'function'
const partNamespace = 'part'

/** Returns the entry point of a function for esbuild. */
export function entryPoint({ name }: Entry): string {
  return `${namespace}:${name}`
}

/**
 * Returns the first module of a function's bundle. A function's own module defines what it handles and its dependencies; the
 * manifest's trigger selects the carrier around it. A function without a trigger exports its handler itself.
 */
export function entryModule(each: Entry): string {
  const { entry, trigger } = each
  switch (trigger?.kind) {
    case 'http': {
      const carrier = trigger.streaming === true ? 'stream' : 'buffer'
      return [
        `import { ${carrier}Handler } from './shared/http/lambda/${carrier}.ts'`,
        ...appModule(each, trigger.surface),
        `export const handler = ${carrier}Handler(app)`,
      ].join('\n')
    }
    case 'queue':
      return carried('job', entry)
    case 'schedule':
      return carried('tick', entry)
    case 'invoke':
      return carried('procedures', entry)
    case undefined:
      return `export { handler } from './${entry}'`
  }
}

function carried(carrier: 'job' | 'tick' | 'procedures', entry: string): string {
  return [
    `import { ${carrier}Handler } from './functions/common/${carrier}.ts'`,
    `import * as module from './${entry}'`,
    `import { loadConfig } from './shared/platform/config/load.ts'`,
    `export const handler = ${carrier}Handler(module, loadConfig(process.env))`,
  ].join('\n')
}

/** Returns the same group as a worker for workerd and Cloudflare. Its settings are the worker's bindings. */
export function workerModule(each: Entry): string {
  const { name, trigger } = each
  if (trigger?.kind !== 'http')
    throw new Error(`${name} cannot be a worker: it has no HTTP trigger`)
  return [
    `import { env } from 'cloudflare:workers'`,
    `import { workerHandler } from './shared/http/worker/worker.ts'`,
    ...appModule(each, trigger.surface, 'env'),
    `export default workerHandler(app)`,
  ].join('\n')
}

/** Returns the same group as a handler of plain HTTP. Run directly, as in a container, the module also serves it. */
export function serverModule(each: Entry): string {
  const { name, service, timeoutSeconds, trigger } = each
  if (trigger?.kind !== 'http' || service === undefined)
    throw new Error(`${name} cannot be a service: it has no HTTP trigger`)
  const bounds = JSON.stringify({ timeoutSeconds, memoryMb: service.memoryMb })
  return [
    `import { serve, serviceHandler } from './shared/http/server/serve.ts'`,
    ...appModule(each, trigger.surface),
    `export const handler = serviceHandler(app, ${bounds})`,
    `if (require.main === module) serve(handler, process.env)`,
  ].join('\n')
}

function appModule({ entry }: Entry, surface: string, environment = 'process.env'): string[] {
  return [
    `import { groupApp } from './shared/http/wiring.ts'`,
    `import * as group from './${entry}'`,
    `import { loadConfig } from './shared/platform/config/load.ts'`,
    `const app = groupApp('${surface}', group, loadConfig(${environment}))`,
  ]
}

/** Returns the entry point of a function's part for esbuild. */
export function partPoint(part: string): string {
  return `${partNamespace}:${part}`
}

/** Returns the file name of a part, without extension, in its function's folder. */
export function partName(part: string): string {
  return part.slice(1)
}

/** Makes each part of these functions a separate file that is loaded on import. */
export function separateParts(functions: readonly Entry[], extension: string): Plugin {
  const parts = new Set(functions.flatMap(({ parts: own = [] }) => own))
  return {
    name: 'separate-parts',
    setup(build) {
      build.onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: partNamespace }))
      build.onLoad({ filter: /.*/, namespace: partNamespace }, ({ path }) => ({
        contents: `export * from '${path.slice(partPoint('').length)}'`,
        resolveDir: build.initialOptions.absWorkingDir ?? '',
      }))
      build.onResolve({ filter: /^#/ }, ({ path, kind }) =>
        kind === 'dynamic-import' && parts.has(path)
          ? { path: `./${partName(path)}${extension}`, external: true }
          : undefined,
      )
    },
  }
}

/** Provides the entry modules of these functions to esbuild, as if they were files in the repository's root. */
export function entryModules(
  functions: readonly Entry[],
  root: string,
  moduleOf = entryModule,
): Plugin {
  const modules = new Map(functions.map((each) => [entryPoint(each), moduleOf(each)]))
  return {
    name: 'entry-modules',
    setup(build) {
      build.onResolve({ filter: /^function:/ }, ({ path }) => ({ path, namespace }))
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: modules.get(path) ?? '',
        loader: 'ts',
        resolveDir: root,
      }))
    },
  }
}

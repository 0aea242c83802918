import type { Plugin } from 'esbuild'
import type { FunctionSpec } from '../../shared/manifest/index.ts'

/** What a bundle is made from. */
export type Entry = Pick<FunctionSpec, 'name' | 'entry'> &
  Partial<Pick<FunctionSpec, 'trigger' | 'parts' | 'timeoutSeconds' | 'service'>>

const namespace = 'function'
const partNamespace = 'part'

/** What stands in a bundle's list of entries for a function. */
export function entryPoint({ name }: Entry): string {
  return `${namespace}:${name}`
}

/**
 * The first module of a function's bundle. A function's own module says what it handles and what that stands on; which
 * carrier is put around it, the manifest says by its trigger. What has no trigger exports its handler itself.
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

/** The same group as a worker: what workerd and Cloudflare call. Its settings are the worker's bindings. */
export function workerModule(each: Entry): string {
  const { name, trigger } = each
  if (trigger?.kind !== 'http') throw new Error(`${name} takes no requests, as a worker has to`)
  return [
    `import { env } from 'cloudflare:workers'`,
    `import { workerHandler } from './shared/http/worker/worker.ts'`,
    ...appModule(each, trigger.surface, 'env'),
    `export default workerHandler(app)`,
  ].join('\n')
}

/** The same group as a handler of plain HTTP, and as the process that serves it where it is run itself, as a container does. */
export function serverModule(each: Entry): string {
  const { name, service, timeoutSeconds, trigger } = each
  if (trigger?.kind !== 'http' || service === undefined)
    throw new Error(`${name} takes no requests, as a service has to`)
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

/** What stands in a bundle's list of entries for a part of a function. */
export function partPoint(part: string): string {
  return `${partNamespace}:${part}`
}

/** The file of a part, without its extension, beside its function's. */
export function partName(part: string): string {
  return part.slice(1)
}

/** Makes each part of these functions a file that is loaded once it is imported, and no module of their bundles. */
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

/** Makes the entry modules of these functions for esbuild, as if they were files in the repository's root. */
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

import type { Plugin } from 'esbuild'
import type { FunctionSpec } from '../../shared/manifest/index.ts'

/** What a bundle is made from. */
export type Entry = Pick<FunctionSpec, 'name' | 'entry'> &
  Partial<Pick<FunctionSpec, 'trigger' | 'edge'>>

const namespace = 'function'

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
    case undefined:
      return `export { handler } from './${entry}'`
  }
}

function carried(carrier: 'job' | 'tick', entry: string): string {
  return [
    `import { ${carrier}Handler } from './functions/common/${carrier}.ts'`,
    `import * as module from './${entry}'`,
    `import { loadConfig } from './shared/platform/config/load.ts'`,
    `export const handler = ${carrier}Handler(module, loadConfig(process.env))`,
  ].join('\n')
}

/** The same group as a worker: what workerd and Cloudflare call. */
export function workerModule(each: Entry & { trigger: { surface: string } }): string {
  return [...appModule(each, each.trigger.surface), 'export default { fetch: app.fetch }'].join(
    '\n',
  )
}

function appModule({ name, entry, edge }: Entry, surface: string): string[] {
  const app = [
    `import { groupApp } from './shared/http/wiring.ts'`,
    `import * as group from './${entry}'`,
  ]
  // What also runs at the edge reads no environment of Node's, and needs no setting yet.
  if (edge === true)
    return [...app, `const app = groupApp('${surface}', group, { FUNCTION_NAME: '${name}' })`]
  return [
    ...app,
    `import { loadConfig } from './shared/platform/config/load.ts'`,
    `const app = groupApp('${surface}', group, loadConfig(process.env))`,
  ]
}

/** Makes the entry modules of these functions for esbuild, as if they were files in the repository's root. */
export function entryModules(functions: readonly Entry[], root: string): Plugin {
  const modules = new Map(functions.map((each) => [entryPoint(each), entryModule(each)]))
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

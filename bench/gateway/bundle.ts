import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { functions } from '#shared/manifest/index.ts'
import {
  type Entry,
  entryModule,
  entryModules,
  entryPoint,
  serverModule,
} from '#stacks/build/entry.ts'
import { bundleOptions } from '#stacks/build/options.ts'

const root = join(import.meta.dirname, '../..')

const table = join(import.meta.dirname, 'table/main.ts')

/** Replaces the deployed table by the benchmark's table in the function. The benchmark's own import stays real. */
const replaceTable: Plugin = {
  name: 'replace-table',
  setup({ onResolve }) {
    onResolve({ filter: /\/dynamo\.ts$/ }, ({ importer }) =>
      importer === table ? undefined : { path: table },
    )
  },
}

export const spec = functions.find(({ name }) => name === 'backend-ai')

/**
 * Bundles the AI function from its deployed entry with the deployed options, except the module that creates its table.
 * @returns the folder that holds `backend-ai/index.cjs`
 */
export function bundleFunction(): Promise<string> {
  return bundle('gateway', spec)
}

/** Bundles a function that only calls the provider, under the same name. @returns the folder that holds it */
export function bundleFloor(): Promise<string> {
  return bundle('gateway-floor', spec && { name: spec.name, entry: 'bench/gateway/floor/main.ts' })
}

/** Bundles the AI function as a service. @returns its program */
export async function bundleService(): Promise<string> {
  const bundles = await bundle('gateway-service', spec, serverModule)
  return join(bundles, 'backend-ai/index.cjs')
}

async function bundle(
  folder: string,
  entry: Entry | undefined,
  moduleOf = entryModule,
): Promise<string> {
  if (entry === undefined) throw new Error('the manifest has no function backend-ai')
  const bundles = join(root, 'dist/bench', folder)
  await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [entryPoint(entry)],
    outfile: join(bundles, entry.name, 'index.cjs'),
    plugins: [replaceTable, entryModules([entry], root, moduleOf)],
  })
  return bundles
}

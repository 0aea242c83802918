import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../../stacks/build/options.ts'
import { functions } from '../../stacks/manifest/index.ts'

const root = join(import.meta.dirname, '../..')

const table = join(import.meta.dirname, 'table/main.ts')

/** Puts the bench's table where the function imports the deployed one; the bench's own import stays real. */
const replaceTable: Plugin = {
  name: 'replace-table',
  setup({ onResolve }) {
    onResolve({ filter: /\/table\/dynamo\.ts$/ }, ({ importer }) =>
      importer === table ? undefined : { path: table },
    )
  },
}

export const spec = functions.find(({ name }) => name === 'backend-ai')

/**
 * The AI function from its deployed entry and with the deployed options, but for the module that makes its table.
 * @returns the folder that holds `backend-ai/index.cjs`
 */
export async function bundleFunction(): Promise<string> {
  if (spec === undefined) throw new Error('the manifest has no function backend-ai')
  const bundles = join(root, 'dist/bench/gateway')
  await build({
    ...bundleOptions,
    absWorkingDir: root,
    entryPoints: [spec.entry],
    outfile: join(bundles, spec.name, 'index.cjs'),
    plugins: [replaceTable],
  })
  return bundles
}

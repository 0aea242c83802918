import { join } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { build } from '#stacks/build/build.ts'

const root = join(import.meta.dirname, '../../..')

/** Builds the bundles once, for all stacks that start side by side. */
export default async function setup(): Promise<void> {
  await build({ functions, root, outDir: join(root, 'dist') })
}

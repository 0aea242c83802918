import { join } from 'node:path'
import { build } from '../../stacks/build/build.ts'
import { functions } from '../../shared/manifest/index.ts'

const root = join(import.meta.dirname, '../..')

/** Makes the bundles once, so that stacks which are started side by side find them there. */
export default async function setup(): Promise<void> {
  await build({ functions, root, outDir: join(root, 'dist') })
}

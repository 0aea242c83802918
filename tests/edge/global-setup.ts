import { join } from 'node:path'
import { functions } from '#shared/manifest/index.ts'
import { buildWorkers } from '#stacks/build/build.ts'

export async function setup(): Promise<void> {
  const root = join(import.meta.dirname, '../..')
  await buildWorkers({ functions, root, outDir: join(root, 'dist') })
}

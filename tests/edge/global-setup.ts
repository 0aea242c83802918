import { join } from 'node:path'
import { buildWorkers } from '../../stacks/build/build.ts'
import { functions } from '../../shared/manifest/index.ts'

export async function setup(): Promise<void> {
  const root = join(import.meta.dirname, '../..')
  await buildWorkers({ functions, root, outDir: join(root, 'dist') })
}

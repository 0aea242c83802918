import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Has Node compile the program that tests start most often. A gateway that a test kills would leave nothing behind. */
export default function setup(): void {
  // Without an environment it ends at once, with a word about what is missing.
  spawnSync(process.execPath, [join(root, 'agent/gateway/main.ts')])
}

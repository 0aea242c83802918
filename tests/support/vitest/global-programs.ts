import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/**
 * Makes Node cache the compiled form of the program that tests start most often. A gateway that a test kills would not
 * save it.
 */
export default function setup(): void {
  // Without its environment, the program exits at once with an error.
  spawnSync(process.execPath, [join(root, 'agent/gateway/main.ts')])
}

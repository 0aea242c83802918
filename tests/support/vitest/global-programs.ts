import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** Caches the compiled form of the gateway that most tests start. */
export default function setup(): void {
  const { NODE_COMPILE_CACHE: dir } = process.env
  if (dir !== undefined) compileGateway(dir)
}

/** Makes Node write the compiled gateway into a folder. A gateway that a test kills would not do that. */
export function compileGateway(dir: string): void {
  // Without its environment, the program exits immediately with an error.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: dir }
  spawnSync(process.execPath, [join(root, 'agent/gateway/main.ts')], { env })
}

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { buildProgram, gateway } from '#stacks/build/programs.ts'

const root = join(import.meta.dirname, '../../..')

/** Bundles the gateway that most tests start, and caches its compiled form. */
export default async function setup(): Promise<void> {
  const program = await buildProgram(root, gateway)
  process.env.GATEWAY_PROGRAM = program
  const { NODE_COMPILE_CACHE: dir } = process.env
  if (dir !== undefined) compileGateway(program, dir)
}

/** Makes Node write a compiled gateway into a folder. A gateway that a test kills would not do that. */
export function compileGateway(program: string, dir: string): void {
  // Without its environment, the program exits immediately with an error.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: dir }
  spawnSync(process.execPath, [program], { env })
}

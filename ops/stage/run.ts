import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a program of the PATH on this terminal. @returns its exit code; 1 if a signal ended it */
export async function run(
  program: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(program, parameters, { env, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

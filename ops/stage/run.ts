import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Ends the process with the exit code of a program's main function. An error is printed in one line, with exit code 1: it is
 * mostly AWS's, and its message says more than a stack trace.
 */
export async function exitWith(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main()
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    process.stderr.write(`${name}: ${message}\n`)
    process.exitCode = 1
  }
}

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

/** Builds and deploys a stage. @returns the exit code of the first program that failed, otherwise 0 */
export async function deployStage(stage: string, env: NodeJS.ProcessEnv): Promise<number> {
  return (await run('npm', ['run', 'build'], env)) || run('sst', ['deploy', '--stage', stage], env)
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileCache } from '../platform/compile-cache.ts'

/** The source of the command line. */
export const programSource = join(import.meta.dirname, '../../../clients/cli/main.ts')

/** The built command line. */
export const program = join(import.meta.dirname, '../../../dist/clients/cli/agents.mjs')

/** The output and the exit code of a command. */
export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** A command that runs, and its output so far. */
export interface RunningCommand {
  child: ChildProcess
  printed: Omit<Ended, 'code'>
  ended: Promise<Ended>
}

/**
 * A command line with a configuration folder of its own.
 * @param entry the file that Node starts: the built program, or its source for tests without a build
 */
export async function commandLine(environment: Record<string, string> = {}, entry = program) {
  const home = await mkdtemp(join(tmpdir(), 'agents-'))

  function start(args: readonly string[], input = ''): RunningCommand {
    const { PATH = '' } = process.env
    const child = spawn(process.execPath, [entry, ...args], {
      env: { PATH, HOME: home, XDG_CONFIG_HOME: home, ...compileCache, ...environment },
    })
    const printed = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
      })
    child.stdin.end(input)
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      ...printed,
    }))
    return { child, printed, ended }
  }

  return {
    start,
    /** Runs a command to its end. */
    run: (args: readonly string[], input?: string): Promise<Ended> => start(args, input).ended,
    /** Returns the JSON that a command prints with `--json`. */
    async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
      const { code, stdout, stderr } = await start([...args, '--json']).ended
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout) as T
    },
    configFile: join(home, 'agents/config.json'),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  }
}

export type CommandLine = Awaited<ReturnType<typeof commandLine>>

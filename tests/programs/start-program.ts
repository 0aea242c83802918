import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

interface Place {
  /** The folder that the program works in. */
  cwd: string
  env: Record<string, string>
}

/** Starts a program without a terminal. Of the variables of this process, such as keys, it inherits only PATH. */
export function startProgram(file: string, args: readonly string[], { cwd, env }: Place) {
  const program = spawn(file, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, which a stop reaches as Ctrl+C does in a terminal.
    detached: true,
    env: { PATH: process.env.PATH, ...env },
  })
  const printed = Promise.all([text(program.stdout), text(program.stderr)])
  const ended = new Promise<number | null>((resolve) => program.once('close', resolve))
  return {
    ended,
    stop: () => process.kill(-Number(program.pid), 'SIGINT'),
    /** Waits for the end. @returns the exit code, and what the program printed */
    async outcome() {
      const [out, errors] = await printed
      return { code: await ended, out, errors }
    },
  }
}

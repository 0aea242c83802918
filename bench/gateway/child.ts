import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A benchmark process on one core that handles one request at a time. */
export interface Child {
  process: ChildProcess
  ask<T>(question: unknown): Promise<T>
  /** Resolves with the next message that it sends by itself. */
  next(): Promise<unknown>
  stop(): Promise<void>
}

const pinner = 'taskset'

/** Without taskset (macOS, Windows), the system chooses the cores. */
export const canPin = (() => {
  try {
    execFileSync(pinner, ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Starts `node <file>` on a core. Its output is discarded, so that log writes cost nothing. */
export function startChild(
  core: number,
  file: string,
  args: readonly string[] = [],
  environment: Record<string, string> = {},
  errors: 'inherit' | 'ignore' = 'inherit',
): Child {
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', file, ...args]
  const [program = '', ...rest] = canPin ? [pinner, '-c', String(core), ...command] : command
  const child = spawn(program, rest, {
    stdio: ['ignore', 'ignore', errors, 'ipc'],
    env: { PATH: process.env.PATH, ...environment },
  })
  process.once('exit', () => child.kill())
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      const taken = (message: unknown) => {
        child.off('exit', ended)
        resolve(message)
      }
      const ended = (code: number | null) => {
        child.off('message', taken)
        reject(new Error(`${file} ended with ${code}`))
      }
      child.once('message', taken).once('exit', ended)
    })
  return {
    process: child,
    async ask<T>(question: unknown) {
      const answer = next()
      child.send(question as object)
      return (await answer) as T
    },
    next,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill()
      await exit
    },
  }
}

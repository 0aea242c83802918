import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process of the bench's, on one core, that is asked things one at a time. */
export interface Child {
  process: ChildProcess
  ask<T>(question: unknown): Promise<T>
  /** What it says unasked. */
  next(): Promise<unknown>
  stop(): Promise<void>
}

const pinner = 'taskset'

/** Without taskset (macOS, Windows) processes run where the system puts them. */
export const canPin = (() => {
  try {
    execFileSync(pinner, ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** Starts `node <file>` on a core. Its output is dropped: logs are written, but to where writing costs nothing. */
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

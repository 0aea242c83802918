import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { token } from './platform.ts'

/** The kernel counts processor time in hundredths of a second: man 5 proc. */
const tickMs = 10

/** A running agent's program. */
export interface Running {
  /** The time from spawn to the line that it listens, in milliseconds. */
  readyMs: number
  /** Its processor time until then, in milliseconds; NaN where the system has no /proc. */
  cpuMs: number
  /** Lets it store its changes. @param path a file or folder below the data root; undefined for everything */
  sync(path?: string): Promise<void>
  /** Ends it at once. */
  kill(): Promise<void>
}

/** Starts an agent's program and waits until it listens. @throws Error with its output if it ends before */
export async function startProgram(
  program: string,
  environment: Record<string, string>,
): Promise<Running> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [program], {
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = await untilListening(child)
  const readyMs = performance.now() - startedAt
  return {
    readyMs,
    cpuMs: cpuOf(child.pid ?? 0),
    async sync(path) {
      const answer = await fetch(`${url}/files/sync`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ path }),
      })
      if (!answer.ok) throw new Error(`the sync answered ${answer.status}: ${await answer.text()}`)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function untilListening(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (url !== undefined) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${output}`)))
  })
}

function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  // The name of the program is in parentheses; user and system time are the 12th and 13th field after it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnStack } from '#stacks/local/testing/spawn-stack.ts'

/** A local stack in its own process, as `npm run dev` starts it. */
export interface Launched {
  process: ChildProcess
  web: string
  backend: string
  internalKey: string
  dataDir: string
  /** The time from spawn to the line that says it is ready, in milliseconds. */
  readyMs: number
  /** Stops it with SIGTERM and returns how long that took, in milliseconds. */
  stop(): Promise<number>
}

/** @param program another checkout's `stacks/local/main.ts`; default: this checkout's */
export async function launchStack(
  environment: Record<string, string> = {},
  program?: string,
): Promise<Launched> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-bench-'))
  const internalKey = 'internal-key-of-the-bench'
  const started = performance.now()
  const child = spawnStack({
    dataDir,
    environment: { INTERNAL_API_KEY: internalKey, ...environment },
    ...(program !== undefined && { program }),
  })
  child.stderr.pipe(process.stderr)
  const output = await untilReady(child)
  const readyMs = performance.now() - started
  const address = (surface: string) =>
    new RegExp(`${surface}\\s+(http://\\S+)`)
      .exec(output)?.[1]
      ?.replace('localhost', '127.0.0.1') ?? ''
  return {
    process: child,
    web: address('web'),
    backend: address('backend'),
    internalKey,
    dataDir,
    readyMs,
    async stop() {
      const startedAt = performance.now()
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(dataDir, { recursive: true, force: true })
      return performance.now() - startedAt
    },
  }
}

async function untilReady(child: ChildProcess): Promise<string> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes('Ctrl-C stops everything')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the stack ended with ${code}: ${output}`)))
  })
  return output
}

/** Returns the resident memory of a process in MB; Linux only. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

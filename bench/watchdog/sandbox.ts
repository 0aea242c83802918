import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { functions } from '#shared/manifest/index.ts'

const script = fileURLToPath(new URL('function.ts', import.meta.url))
const root = join(import.meta.dirname, '../..')

/** The result of an invocation. */
export interface Invocation {
  answer: unknown
  cpuMs: number
  /** The peak memory of the process so far. */
  maxRssMb: number
}

/** Starts a function of the platform in its own process. */
export async function openSandbox(name: string, environment: Record<string, string>) {
  const bundle = join(root, 'dist/functions', name, 'index.cjs')
  const child = fork(script, [bundle], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...heapLimits(name)],
    // Its log output is not measured.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      FUNCTION_NAME: name,
      ...environment,
    },
  })
  await once(child, 'message')
  return {
    async invoke(event: unknown): Promise<Invocation> {
      child.send(event as object)
      const [invocation] = (await once(child, 'message')) as [Invocation]
      return invocation
    },
    async close(): Promise<void> {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Returns the heap options that Lambda derives from a function's memory: a tenth for young objects, in two halves. */
function heapLimits(name: string): string[] {
  const memoryMb = functions.find((one) => one.name === name)?.memoryMb ?? 128
  const young = Math.floor(memoryMb / 10)
  return [
    `--max-semi-space-size=${Math.floor(young / 2)}`,
    `--max-old-space-size=${memoryMb - young}`,
  ]
}

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { tableName } from '#stacks/local/engines.ts'
import { spawnStack } from '#stacks/local/testing/spawn-stack.ts'
import { insertUser } from '../accounts/new-user.ts'
import { eventually } from '../clock/eventually.ts'
import { clientOf, type TestUser } from '../http/client.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { testAccessKey, useLocalCredentials } from '../platform/credentials.ts'
import { agentProcesses } from './processes.ts'

const internalKey = 'internal-key-of-the-tests'

export interface StackProcess {
  web: string
  backend: string
  summarizer: string
  /** The stand-in checkout, and the key of its controls. */
  checkout: string
  checkoutKey: string
  internalKey: string
  endpoints: { dynamodb: string; sqs: string; ecs: string; lambda: string }
  pid: number
  dataDir: string
  /** Returns its whole output. */
  output(): string
  /** Kills it as a crash or a power cut does, without a shutdown. */
  kill(): Promise<void>
  /**
   * Ends it as Ctrl-C does.
   * @returns the duration in milliseconds, except while the machine was stalled, and the exit code
   */
  terminate(): Promise<{ ms: number; code: number | null }>
}

/** Starts `npm run dev` as a process of its own on free ports, over a new or used data directory. */
async function startProcess(
  dataDir: string,
  environment: Record<string, string>,
): Promise<StackProcess> {
  const child = spawnStack({
    dataDir,
    environment: {
      LOCAL_ACCESS_KEY_ID: testAccessKey,
      INTERNAL_API_KEY: internalKey,
      ...compileCache,
      ...environment,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const ready = eventually(() => {
    if (child.exitCode !== null) throw new Error(`the stack ended:\n${output}`)
    expect(output).toContain('Ctrl-C stops everything.')
  }, 60_000)
  await ready.catch(async (error: unknown) => {
    await end(child, 'SIGKILL')
    throw error
  })
  const port = (pattern: RegExp) => {
    const found = pattern.exec(output)?.[1]
    if (found === undefined) throw new Error(`${pattern} is not in:\n${output}`)
    return `http://127.0.0.1:${found}`
  }
  return {
    web: port(/^ *web +http:\/\/localhost:(\d+)/m),
    backend: port(/^ *backend +http:\/\/localhost:(\d+)/m),
    summarizer: port(/^ *summarizer +http:\/\/localhost:(\d+)/m),
    // Some stacks have no checkout: the test acts as the payment provider.
    get checkout() {
      return port(/^ *payments +http:\/\/localhost:(\d+)/m)
    },
    checkoutKey: await checkoutKeyOf(dataDir),
    internalKey,
    endpoints: {
      dynamodb: port(/database (\d+)/),
      sqs: port(/queues (\d+)/),
      ecs: port(/containers (\d+)/),
      lambda: port(/functions (\d+)/),
    },
    pid: child.pid ?? 0,
    dataDir,
    output: () => output,
    async kill() {
      await end(child, 'SIGKILL')
    },
    async terminate() {
      const elapsed = startStopwatch()
      const code = await end(child, 'SIGTERM')
      return { ms: elapsed(), code }
    },
  }
}

/** Returns the key that the stack created at its first start. */
async function checkoutKeyOf(dataDir: string): Promise<string> {
  const text = await readFile(join(dataDir, 'secrets.json'), 'utf8')
  return (JSON.parse(text) as { PAYMENTS_SECRET_KEY: string }).PAYMENTS_SECRET_KEY
}

const tickMs = 20

/** Measures time, except while this process was stalled. */
function startStopwatch(): () => number {
  let ms = 0
  let last = performance.now()
  const tick = () => {
    const now = performance.now()
    ms += Math.min(now - last, 2 * tickMs)
    last = now
  }
  const timer = setInterval(tick, tickMs)
  return () => {
    clearInterval(timer)
    tick()
    return ms
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
  return child.exitCode
}

/** Starts one platform that a test may end and restart. It leaves no process and no file behind. */
export async function startOwnStack(environment: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'platform-own-'))
  const remove = () => rm(dataDir, { recursive: true, force: true })
  let current = await startProcess(dataDir, environment).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  const client = clientOf(() => current, {
    insertUser(given) {
      useLocalCredentials()
      return insertUser(dynamoTable({ tableName, endpoint: current.endpoints.dynamodb }), given)
    },
  })
  return {
    ...client,
    /** Returns the user's agents that are reported as running and have a process each. */
    async alive(user: TestUser): Promise<string[]> {
      const said = (await client.agentsOf(user)).filter(({ status }) => status === 'running')
      const processes = agentProcesses(dataDir)
      return said
        .map(({ id }) => id)
        .filter((id) => processes.filter(({ agentId }) => agentId === id).length === 1)
    },
    dataDir,
    /** Returns the current process. */
    now: () => current,
    async startAgain(): Promise<void> {
      current = await startProcess(dataDir, environment)
    },
    async [Symbol.asyncDispose]() {
      await current.terminate()
      await eventually(() => expect(agentProcesses(dataDir)).toEqual([]))
      await remove()
    },
  }
}

export type OwnStack = Awaited<ReturnType<typeof startOwnStack>>

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { startDatabase } from '../server.ts'

/** An engine that the conformance suite runs against. */
export interface EngineUnderTest {
  name: string
  /** Why it cannot run here; undefined if it can. */
  missing: string | undefined
  start(): Promise<{ endpoint: string; close(): Promise<void> }>
}

export const embedded: EngineUnderTest = {
  name: 'embedded',
  missing: undefined,
  start: () => startDatabase({ dir: ':memory:' }),
}

const folder = process.env.DYNAMODB_LOCAL_PATH

/** Amazon's own engine, if DYNAMODB_LOCAL_PATH names its folder and a JVM is installed. */
export const reference: EngineUnderTest = {
  name: 'DynamoDB Local',
  missing: missingReference(),
  start: startReference,
}

export const engines = [embedded, reference]

function missingReference(): string | undefined {
  if (!folder) return 'DYNAMODB_LOCAL_PATH is not set'
  if (!existsSync(join(folder, 'DynamoDBLocal.jar'))) return `no DynamoDBLocal.jar in ${folder}`
  if (spawnSync('java', ['-version']).error) return 'no java on the PATH'
  return undefined
}

async function startReference() {
  const port = await freePort()
  const child = spawn(
    'java',
    [
      '-Djava.library.path=./DynamoDBLocal_lib',
      '-jar',
      'DynamoDBLocal.jar',
      '-port',
      String(port),
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
    ],
    { cwd: folder, stdio: 'ignore' },
  )
  const endpoint = `http://127.0.0.1:${port}`
  const client = connect(endpoint)
  try {
    await eventually(() => client.send(new ListTablesCommand({})))
  } finally {
    client.destroy()
  }
  return {
    endpoint,
    async close() {
      const exited = once(child, 'exit')
      child.kill()
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export function connect(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  })
}

/** Retries `attempt` for up to thirty seconds, then throws its last error. */
export async function eventually<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
  }
}

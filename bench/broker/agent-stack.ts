import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startSession } from '#shared/accounts/users/session.ts'
import { newUser, profileKey } from '#shared/accounts/users/user.ts'
import { newId } from '#shared/platform/ids.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { spawnStack } from '#stacks/local/testing/spawn-stack.ts'
import { agentWithKey } from '#tests/support/tools/broker.ts'

export interface AgentStack {
  pid: number
  backend: string
  /** The agent's key. */
  key: string
  /** Calls a route below the agent's as its owner. @throws Error unless the status is 200 or 201 */
  ask<T>(path: string, body?: object, method?: string): Promise<T>
  stop(): Promise<void>
}

/** Starts a local stack in its own process, which may reach a host, with an agent. */
export async function startAgentStack(
  dataDir: string,
  { host, certFile }: { host: string; certFile: string },
): Promise<AgentStack> {
  process.env.AWS_REGION = 'us-east-1'
  process.env.AWS_ACCESS_KEY_ID = 'local'
  process.env.AWS_SECRET_ACCESS_KEY = 'local'
  const child = spawnStack({
    dataDir,
    program: join(import.meta.dirname, '../logs/stack.ts'),
    environment: {
      LOCAL_ACCESS_KEY_ID: 'local',
      RATE_LIMITS: 'off',
      FETCH_ALLOW_HOSTS: host,
      NODE_EXTRA_CA_CERTS: certFile,
    },
  })
  child.stderr.pipe(process.stderr)
  const output = createInterface(child.stdout)
  const [line] = (await once(output, 'line')) as [string]
  const { urls, endpoints, tableName } = JSON.parse(line) as {
    urls: { web: string; backend: string }
    endpoints: { dynamodb: string }
    tableName: string
  }
  const table = dynamoTable({ tableName, endpoint: endpoints.dynamodb })
  const id = newId('usr')
  const user = newUser({ id, email: `${id}@example.com`, name: 'Bench', referralCode: '' })
  await table.put({ ...user, pk: userPartition(id), sk: profileKey })
  const cookie = `service-session=${await startSession({ table }, { userId: id })}`
  const { agentId, key } = await agentWithKey(table, id)
  return {
    pid: Number(child.pid),
    backend: urls.backend,
    key,
    async ask(path, body, method = body === undefined ? 'GET' : 'POST') {
      const answer = await fetch(`${urls.web}/api/agents/${agentId}${path}`, {
        method,
        headers: { cookie, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      if (answer.status !== 200 && answer.status !== 201) throw new Error(await answer.text())
      return (await answer.json()) as never
    },
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

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

export interface BrokerStack {
  pid: number
  /** The base of the agent's broker addresses. */
  broker: string
  /** The key of the agent that has the credential. */
  key: string
  /** Returns the number of requests that the platform has recorded, at most 200. */
  recorded(): Promise<number>
  stop(): Promise<void>
}

/** Starts a local stack in its own process, with an agent that has a credential for a host. */
export async function startBrokerStack(
  dataDir: string,
  { host, certFile }: { host: string; certFile: string },
): Promise<BrokerStack> {
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
  const headers = { cookie: `service-session=${await startSession({ table }, { userId: id })}` }
  const { agentId, key } = await agentWithKey(table, id)
  const agent = `${urls.web}/api/agents/${agentId}`
  const stored = await fetch(`${agent}/broker-credentials`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'bench',
      hosts: [host],
      header: 'authorization: Bearer {value}',
      value: 'a-credential-of-the-bench-of-usual-length',
    }),
  })
  if (stored.status !== 201) throw new Error(await stored.text())
  return {
    pid: Number(child.pid),
    broker: `${urls.backend}/broker/bench/${host}`,
    key,
    async recorded() {
      const answer = await fetch(`${agent}/broker-requests?limit=200`, { headers })
      return ((await answer.json()) as { requests: unknown[] }).requests.length
    },
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
    },
  }
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startSession } from '#shared/accounts/users/session.ts'
import { agentAiKey } from '#shared/agents/record/ai-key.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { insertUser } from '../accounts/new-user.ts'
import { clientOf } from '../http/client.ts'
import { useLocalCredentials } from '../platform/credentials.ts'
import type { AgentProcess } from './processes.ts'

export { call, type TestUser } from '../http/client.ts'

/** The stack that all end-to-end tests share. */
export const stack = () => inject('stack')

export const {
  agentOf,
  agentsOf,
  asInternal,
  askForAgent,
  chat,
  historyOf,
  keyOf,
  lifecycle,
  newSubscriber,
  newUser,
  platformOf,
  provision,
  runningAgent,
  signIn,
  subscribe,
  untilStatus,
} = clientOf(stack, { insertUser: (given) => insertUser(sharedTable(), given), beginSession })

/** Creates a user by the public routes, which send the verification mail and hash the password as deployed. */
export const { newUser: signUp } = clientOf(stack)

let table: Table | undefined

/** The shared stack's table, for data that no route returns. */
export function sharedTable(): Table {
  useLocalCredentials()
  const { tableName, endpoints } = stack()
  // One client per file: a new one must connect again, which costs more than the call.
  table ??= dynamoTable({ tableName, endpoint: endpoints.dynamodb })
  return table
}

/** Creates a session for a user of the shared stack, as a sign-in does. */
export async function beginSession(userId: string): Promise<{ cookie: string }> {
  return { cookie: `service-session=${await startSession({ table: sharedTable() }, { userId })}` }
}

/** Returns the secrets of the shared stack itself. */
export async function platformSecrets() {
  const text = await readFile(join(stack().dataDir, 'secrets.json'), 'utf8')
  return JSON.parse(text) as { WALLET_ENCRYPTION_KEY: string }
}

/**
 * Returns the secrets of a container's bootstrap for one generation of an agent. No route returns them, so this derives
 * them as the platform does.
 */
export async function secretsOf({
  agentId,
  generation,
}: Pick<AgentProcess, 'agentId' | 'generation'>) {
  const { WALLET_ENCRYPTION_KEY: key } = await platformSecrets()
  const agent = await requireAgent({ table: sharedTable() }, { agentId, owner: undefined })
  return {
    GATEWAY_TOKEN: await gatewayToken(key, agentId, agent.tokenVersion),
    AI_API_KEY: await agentAiKey(key, agent, generation),
  }
}

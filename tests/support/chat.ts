import type { AgentClientServices } from '#functions/common/agent-client.ts'
import { routes as chatRoutes } from '#functions/web/chat.ts'
import { type Agent, locatorKey } from '#shared/agents/record/agent.ts'
import { newWatchdog } from '#shared/agents/watchdog/schema.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { agentWrites, withPlace } from './agent-rows.ts'
import { callerOf } from './caller.ts'

export { allEvents, readEvents } from './sse.ts'

export const encryptionKey = 'a-key-of-the-tests-and-nothing-else'

/** Chat with an agent that is awake sends no message. */
const unused: Queues = {
  send: () => Promise.reject(new Error('unexpected message')),
  sendAll: () => Promise.reject(new Error('unexpected message')),
}

/** Calls the chat function's routes over a table, or another function's with the same services. */
export function chatCaller(
  table: Table,
  overrides: Partial<AgentClientServices> = {},
  routes = chatRoutes,
) {
  const services = { table, queues: unused, config: loadConfig({}), encryptionKey, ...overrides }
  return callerOf<AgentClientServices>({ routes }, services)
}

/** Writes an agent's rows as provisioning leaves them. */
export async function putAgent(
  table: Table,
  userId: string | null,
  fields: Partial<Agent> = {},
): Promise<Agent> {
  const id = fields.id ?? newId('agt')
  const at = new Date().toISOString()
  const agent = withPlace({
    id,
    userId,
    name: 'Ada',
    subdomain: 'ada-00000000',
    model: 'gpt-4',
    plan: 'solo',
    aiProvider: 'router',
    config: {},
    image: 'agent:1',
    status: 'running',
    desired: 'running',
    generation: 1,
    revision: 1,
    tokenVersion: 1,
    watchdog: newWatchdog(Date.now()),
    createdAt: at,
    updatedAt: at,
    ...fields,
  })
  await table.transact([...agentWrites(agent), { put: { ...locatorKey(id), userId } }])
  return agent
}

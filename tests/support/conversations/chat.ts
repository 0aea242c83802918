import type { AgentClientServices } from '#functions/common/agent-client.ts'
import { routes as chatRoutes } from '#functions/web/chat.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { callerOf } from '../http/caller.ts'

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

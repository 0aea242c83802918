import { beforeEach } from 'vitest'
import type { AgentClientServices } from '#functions/common/agent-client.ts'
import { routes as chatRoutes } from '#functions/web/chat.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { gatewayToken } from '#shared/agents/record/secrets.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newId } from '#shared/platform/ids.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { say, type Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { useAgent } from '../../../agent/gateway/testing/use.ts'
import { putAgent } from '../agents/agent-rows.ts'
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

/**
 * Starts the gateway of an agent for a file of tests, with a stand-in for the platform's AI gateway. Before each test, the
 * stand-in forgets its calls and replies `Fine, thanks.`
 */
export async function useChatAgent() {
  const id = newId('agt')
  const started = useAgent('all', { GATEWAY_TOKEN: await gatewayToken(encryptionKey, id, 1) })
  beforeEach(() => {
    started.upstream.calls.length = 0
    started.upstream.reply = (response) => say(response, 'Fine, thanks.')
  })
  return {
    get models(): Upstream {
      return started.upstream
    },
    /** Stores the agent as a user's. */
    putFor(table: Table, userId: string): Promise<Agent> {
      const address = { host: '127.0.0.1', port: Number(new URL(started.gateway.url).port) }
      return putAgent(table, userId, { id, address })
    },
  }
}

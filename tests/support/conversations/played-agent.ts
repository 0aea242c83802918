import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { Upstream } from '../../../agent/gateway/testing/upstream.ts'
import { type Accounts, startAccounts } from '../accounts/accounts.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { chatCaller } from './chat.ts'

/** The time limits of a turn. Only the tests of these limits reach them, on a fake clock. */
const timeouts = { idleMs: 60_000, totalMs: 180_000 }

/** Provides a user's chat with an agent whose gateway each test controls, for a file of tests. */
export function usePlayedAgent() {
  let accounts: Accounts
  let gateway: Upstream
  let ada: { id: string; session: string }
  let agent: Agent
  let call: ReturnType<typeof chatCaller>
  beforeAll(async () => {
    accounts = await startAccounts()
    ada = await accounts.signUp('ada@b.co')
    gateway = await Upstream.start()
    const port = Number(new URL(gateway.baseUrl).port)
    agent = await putAgent(accounts.table, ada.id, { address: { host: '127.0.0.1', port } })
    call = chatCaller(accounts.table, { timeouts })
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await accounts.close()
  })
  beforeEach(() => {
    gateway.calls.length = 0
  })
  return {
    get accounts(): Accounts {
      return accounts
    },
    get gateway(): Upstream {
      return gateway
    },
    get ada(): { id: string; session: string } {
      return ada
    },
    get agent(): Agent {
      return agent
    },
    send(body: Record<string, unknown>, signal?: AbortSignal) {
      const given = { body: { message: 'Hi', ...body }, session: ada.session }
      return call('POST', '/api/chat', { ...given, ...(signal !== undefined && { signal }) })
    },
    /** Resumes a streamed turn. */
    follow(id: string, lastId?: string, session = ada.session) {
      const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
      return call('GET', `/api/chat/turns/${id}/stream`, { session, headers })
    },
    topics: (query: string, session = ada.session) =>
      call('GET', `/api/chat/topics${query}`, { session }),
    history: (query: string, session = ada.session) =>
      call('GET', `/api/chat${query}`, { session }),
    /** Returns the newest message of the history. */
    async last() {
      const { items } = await accounts.table.query({
        pk: `user#${ada.id}`,
        beginsWith: `message#${agent.id}#`,
        descending: true,
        limit: 1,
      })
      return items[0]
    },
  }
}

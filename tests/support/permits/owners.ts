import { afterAll, beforeAll } from 'vitest'
import * as group from '#functions/web/approvals.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { requireAgent } from '#shared/agents/record/find.ts'
import { type Parked, park } from '#shared/permits/approvals/park.ts'
import type { ApprovalView } from '#shared/permits/approvals/schema.ts'
import type { Effect } from '#shared/permits/policy/effect.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Keys, startKeys } from '../accounts/keys.ts'
import { putAgent } from '../agents/agent-rows.ts'
import { callerOf } from '../http/caller.ts'
import { lostQueues } from '../platform/context.ts'

/** A request of the broker. */
export const effect = {
  action: 'broker.request',
  target: { name: 'crm', method: 'POST', host: 'api.example.com', path: '/contacts' },
} as const satisfies Effect

export const payment: Effect = {
  action: 'payment.send',
  target: { host: 'api.example.com', payee: `0x${'a'.repeat(40)}` },
  microUsd: 1_250_000n,
}

/** Provides owners of agents that park requests, and the routes of approvals, for a file of tests. */
export function useOwners() {
  let keys: Keys
  let call: ReturnType<typeof callerOf>
  let users = 0
  beforeAll(async () => {
    keys = await startKeys()
    call = callerOf(group, { table: keys.table, queues: lostQueues })
  })
  afterAll(() => keys.close())

  async function newOwner() {
    const { id: userId, session } = await keys.signUp(`owner${++users}@b.co`)
    const agent = await putAgent(keys.table, userId)
    let parked = 0
    const store = userStore(keys.table, userId)
    return {
      userId,
      session,
      agent,
      store,
      current: (): Promise<Agent> => requireAgent(keys, { agentId: agent.id, owner: userId }),
      park: async (more: Partial<Parked> = {}) =>
        (
          await park(keys, {
            agent,
            effect,
            session: 'default',
            summary: 'POST api.example.com/contacts',
            request: { json: { number: parked++ } },
            ...more,
          })
        ).approvalId,
      decide: (id: string, body: object, by: { session?: string; key?: string } = { session }) =>
        call('POST', `/api/approvals/${id}`, { ...by, body }),
      async list(query = '') {
        const answer = await call('GET', `/api/approvals${query}`, { session })
        return ((await answer.json()) as { approvals: ApprovalView[] }).approvals
      },
    }
  }

  return {
    get keys(): Keys {
      return keys
    },
    get table(): Table {
      return keys.table
    },
    call: (...given: Parameters<typeof call>) => call(...given),
    newOwner,
  }
}

export type Owner = Awaited<ReturnType<ReturnType<typeof useOwners>['newOwner']>>

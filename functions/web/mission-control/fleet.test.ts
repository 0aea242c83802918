import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { answers, startX402Upstream } from '#tests/support/x402/upstream.ts'
import * as group from '../mission-control.ts'

fromMidMonth()

let usage: Usage
let upstream: Awaited<ReturnType<typeof startX402Upstream>>
let users = 0

beforeAll(async () => {
  ;[usage, upstream] = await Promise.all([startUsage(), startX402Upstream()])
})
beforeEach(() => upstream.reset())
afterAll(() => Promise.all([usage.close(), upstream.close()]))

const newUser = () => usage.signUp(`fleet${++users}@b.co`)

async function see(path: string, session: string, gatewayUrl?: string) {
  const call = callerOf(group, { table: usage.table, gatewayUrl })
  const answer = await call('GET', path, { session })
  return [answer.status, await answer.json()] as const
}

describe('GET /api/mission-control/fleet/costs', () => {
  it('returns each agent’s cost in this month, and their sum', async () => {
    const { id, session } = await newUser()
    const [dear, idle, unpriced] = [
      await putAgent(usage.table, id, { name: 'Dear' }),
      await putAgent(usage.table, id, { name: 'Idle', status: 'stopped' }),
      await putAgent(usage.table, id, { name: 'Unpriced' }),
    ]
    await usage.completed(id, { agentId: dear.id, costUsd: 0.1 })
    await usage.completed(id, { agentId: dear.id, costUsd: 0.2, model: 'other' })
    await usage.completed(id, { agentId: dear.id, costUsd: 40, daysAgo: 40 })
    await usage.completed(id, { agentId: unpriced.id, costUsd: null })
    await usage.completed(id, { agentId: null, costUsd: 7 })
    const [status, body] = await see('/api/mission-control/fleet/costs', session)
    const shown = (agent: Agent, cost: number | null) => ({
      agentId: agent.id,
      agentName: agent.name,
      status: agent.status,
      cost,
      createdAt: agent.createdAt,
    })
    expect([status, body]).toEqual([
      200,
      {
        costs: [shown(unpriced, null), shown(idle, 0), shown(dear, 0.3)],
        totalSpend: 0.3,
        plan: 'free',
      },
    ])
  })
})

describe('GET /api/colony/status', () => {
  async function family() {
    const { id, session } = await newUser()
    const parent = await putAgent(usage.table, id, { name: 'Parent' })
    const lineage = { parentAgentId: parent.id, generation: 2, specialization: 'promo' } as const
    const clone = await putAgent(usage.table, id, { name: 'Clone', status: 'error', lineage })
    const orphan = await putAgent(usage.table, id, {
      name: 'Orphan',
      status: 'stopped',
      lineage: { ...lineage, parentAgentId: 'agt_gone', generation: 3 },
    })
    return { session, parent, clone, orphan }
  }

  it('lists clones below their parents, with the fitness from the gateway', async () => {
    const { session, parent, clone, orphan } = await family()
    upstream.serve('/health', answers(200, { status: 'ok' }))
    upstream.serve(`/gateway/fitness/${clone.id}`, answers(200, { score: 71, tier: 'gold' }))
    const [status, body] = await see('/api/colony/status', session, upstream.url)
    const node = (agent: Agent, more: object) => ({
      id: agent.id,
      name: agent.name,
      status: agent.status,
      fitness: null,
      children: [],
      ...more,
    })
    expect([status, body]).toEqual([
      200,
      {
        tree: [
          node(parent, {
            generation: 1,
            specialization: null,
            children: [node(clone, { generation: 2, specialization: 'promo', fitness: 71 })],
          }),
          node(orphan, { generation: 3, specialization: 'promo' }),
        ],
        count: 3,
        timestamp: expect.any(String),
      },
    ])
  })

  it('returns each agent’s fitness, or null if the gateway does not report it', async () => {
    const { session, parent, clone } = await family()
    const details = { prediction: 0.5 }
    upstream.serve('/health', answers(200, { status: 'ok' }))
    upstream.serve(
      `/gateway/fitness/${parent.id}`,
      answers(200, { score: 9, tier: 'new', details }),
    )
    upstream.serve(`/gateway/fitness/${clone.id}`, answers(500, {}))
    const [, body] = await see('/api/colony/status?action=soul', session, upstream.url)
    expect(body).toMatchObject({ gateway: 'reachable' })
    expect(body).toMatchObject({
      soul: [
        { agentId: parent.id, name: 'Parent', score: 9, tier: 'new', details },
        { agentId: clone.id, score: null, tier: null, details: null },
        { score: null },
      ],
    })
  })

  it('sends no request if no gateway is configured', async () => {
    const { session } = await family()
    const soul = '/api/colony/status?action=soul'
    upstream.serve('/health', answers(503, {}))
    expect(await see(soul, session, upstream.url)).toMatchObject([200, { gateway: 'unreachable' }])
    expect(upstream.asked.map(({ path }) => path)).toEqual(['/health'])
    expect(await see(soul, session)).toMatchObject([200, { gateway: 'not configured' }])
  })

  it('counts agents, clones and generations', async () => {
    const { session } = await family()
    expect(await see('/api/colony/status?action=diagnostics', session)).toEqual([
      200,
      {
        agents: { total: 3, running: 1, stopped: 1, failed: 1 },
        generations: 3,
        clones: 2,
        gateway: 'not configured',
        timestamp: expect.any(String),
      },
    ])
  })

  it('lists no other user’s agents, and rejects other actions', async () => {
    await family()
    const { session } = await newUser()
    expect(await see('/api/colony/status', session)).toMatchObject([200, { tree: [], count: 0 }])
    expect((await see('/api/colony/status?action=destroy', session))[0]).toBe(400)
    expect((await see('/api/colony/status', 'wrong'))[0]).toBe(401)
  })
})

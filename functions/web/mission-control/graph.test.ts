import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSession } from '#shared/accounts/users/session.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { type Bus, busCaller, signed, type Signer } from '#tests/support/network/bus.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import * as group from '../mission-control.ts'

const path = '/api/mission-control/fleet/graph'

interface Graph {
  nodes: { id: string }[]
  edges: { id: string; source: string; target: string; label: string }[]
}

let database: TestTable
let bus: Bus

beforeAll(async () => {
  database = await startTestTable()
  bus = busCaller(database.table)
})
afterAll(() => database.close())

async function graph(userId: string, table = database.table) {
  const session = await startSession({ table: database.table }, { userId })
  const answer = await callerOf(group, { table, gatewayUrl: undefined })('GET', path, { session })
  return [answer.status, (await answer.json()) as Graph] as const
}

const node = ({ id, name, status, model, plan, createdAt }: Agent) => ({
  id,
  name,
  type: 'agent',
  status,
  metadata: { model, plan, createdAt },
})

async function say(from: Signer, to: Signer, action: string): Promise<void> {
  expect((await bus.send(await signed(from, to.agent, { action }))).status).toBe(200)
}

describe('GET /api/mission-control/fleet/graph', () => {
  it('returns the agents, and an edge for each pair that has exchanged messages', async () => {
    const userId = await bus.subscriber()
    const [ada, bob, eve] = [
      await bus.signer(userId, { name: 'Ada' }),
      await bus.signer(userId, { name: 'Bob' }),
      await bus.signer(userId, { name: 'Eve', status: 'stopped' }),
    ]
    await say(ada, bob, 'GREET')
    await say(bob, ada, 'ANSWER')
    await say(eve, ada, 'ASK')
    const [status, body] = await graph(userId)
    const edge = (from: Signer, to: Signer, label: string) => ({
      id: expect.any(String),
      source: from.agent.id,
      target: to.agent.id,
      label,
    })
    expect([status, body]).toEqual([
      200,
      {
        nodes: [node(eve.agent), node(bob.agent), node(ada.agent)],
        edges: [edge(bob, ada, 'ANSWER'), edge(eve, ada, 'ASK')],
        timestamp: expect.any(String),
      },
    ])
    // The edge stays the same if the other side sent the last message.
    await say(ada, bob, 'AGAIN')
    const [, later] = await graph(userId)
    expect(later.edges).toEqual([
      { ...edge(ada, bob, 'AGAIN'), id: body.edges[0]?.id },
      body.edges[1],
    ])
  })

  it('omits a pair without messages for 30 days, and one with a deleted agent', async () => {
    const userId = await bus.subscriber()
    const [ada, bob, eve] = [
      await bus.signer(userId),
      await bus.signer(userId),
      await bus.signer(userId),
    ]
    await say(ada, bob, 'GREET')
    await say(ada, eve, 'GREET')
    const pairs = await database.table.query({ pk: `user#${userId}`, beginsWith: 'bus-pair#' })
    const old = pairs.items.find(({ to }) => to === bob.agent.id)
    if (old === undefined) throw new Error('no pair was kept')
    const now = Math.floor(Date.now() / 1000)
    expect(Number(old.expiresAt) - now).toBeCloseTo(30 * 86_400, -2)
    await database.table.put({ ...old, expiresAt: now - 1 })
    expect((await graph(userId))[1].edges).toMatchObject([{ target: eve.agent.id }])
    const key = { pk: `user#${userId}`, sk: `agent#${eve.agent.id}` }
    await database.table.update(key, { set: { deleting: true } })
    const [, body] = await graph(userId)
    expect(body).toMatchObject({ edges: [] })
    expect(body.nodes).toHaveLength(2)
  })

  it('returns nothing of another user, even if their agents write to the caller’s', async () => {
    const [mine, theirs] = [await bus.subscriber(), await bus.subscriber()]
    const [ada, eve] = [await bus.signer(mine), await bus.signer(theirs)]
    await say(ada, eve, 'GREET')
    await say(eve, ada, 'ANSWER')
    expect((await graph(mine))[1]).toMatchObject({ nodes: [node(ada.agent)], edges: [] })
    const [, body] = await graph(theirs)
    expect(JSON.stringify(body)).not.toContain(ada.agent.id)
  })

  it('requires a session', async () => {
    const call = callerOf(group, { table: database.table, gatewayUrl: undefined })
    expect((await call('GET', path)).status).toBe(401)
    expect((await call('GET', path, { session: 'wrong' })).status).toBe(401)
    expect((await call('GET', path, { key: `sk_${'0'.repeat(64)}` })).status).toBe(401)
  })

  it('makes two parallel queries', async () => {
    const userId = await bus.subscriber()
    await Promise.all(Array.from({ length: 10 }, () => bus.signer(userId)))
    const { table, calls } = recording(database.table)
    expect((await graph(userId, table))[1].nodes).toHaveLength(10)
    expect(calls.filter((name) => name === 'query')).toHaveLength(2)
  })
})

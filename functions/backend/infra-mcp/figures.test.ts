import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { queues } from '#shared/manifest/index.ts'
import { deliveriesDue } from '#shared/network/bus/rows.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startOperator } from '#tests/support/operations/operator.ts'

let operator: Awaited<ReturnType<typeof startOperator>>

beforeAll(async () => {
  operator = await startOperator()
})
afterAll(() => operator.close())

describe('list_queues', () => {
  it('counts waiting, delayed and dead messages, the worst queue first', async () => {
    await operator.send('mails')
    await operator.send('mails')
    await operator.send('mails', { delaySeconds: 600 })
    await operator.send('splits', { dead: true })
    const found = (await operator.ask('list_queues')).queues as { name: string }[]
    expect(found.map(({ name }) => name).toSorted()).toEqual(
      queues.map(({ name }) => name).toSorted(),
    )
    expect(found.slice(0, 3)).toEqual([
      { name: 'splits', waiting: 0, inFlight: 0, delayed: 0, dead: 1 },
      { name: 'mails', waiting: 2, inFlight: 0, delayed: 1, dead: 0 },
      { name: 'agent-exports', waiting: 0, inFlight: 0, delayed: 0, dead: 0 },
    ])
  })
})

describe('get_backlog', () => {
  it('counts overdue work, and omits future work', async () => {
    const { table } = operator
    const due = (id: string, at: number) =>
      table.put({ pk: `bus-message#${id}`, sk: 'message', ...deliveriesDue.at(id, at) })
    const [first, second] = [Date.parse('2026-01-01T00:00:00.000Z'), Date.now() - 1000]
    await due('msg-1', first)
    await due('msg-2', second)
    await due('msg-3', Date.now() + 3_600_000)
    expect(await operator.ask('get_backlog')).toEqual({
      work: [
        { kind: 'bus deliveries', overdue: 2, oldestDueAt: '2026-01-01T00:00:00.000Z' },
        { kind: 'entitlements', overdue: 0, oldestDueAt: null },
        { kind: 'restores', overdue: 0, oldestDueAt: null },
        { kind: 'sales', overdue: 0, oldestDueAt: null },
        { kind: 'scheduled runs', overdue: 0, oldestDueAt: null },
        { kind: 'splits', overdue: 0, oldestDueAt: null },
        { kind: 'videos', overdue: 0, oldestDueAt: null },
        { kind: 'webhook deliveries', overdue: 0, oldestDueAt: null },
      ],
    })
  })
})

describe('get_costs', () => {
  it('sums up the month by user, agent and model, the most expensive first', async () => {
    const [rich, poor] = ['usr_rich', 'usr_poor']
    const agent = await putAgent(operator.table, rich)
    const other = await putAgent(operator.table, poor)
    await operator.completed(rich, { agentId: agent.id, costUsd: 2 })
    await operator.completed(rich, { agentId: agent.id, costUsd: 1, model: 'anthropic/claude' })
    await operator.completed(poor, { agentId: other.id, costUsd: 0.5 })
    await operator.completed(poor, { costUsd: null, model: 'house/unpriced' })
    const month = new Date().toISOString().slice(0, 7)
    const row = (key: string | null, calls: number, costUsd: number | null) => ({
      key,
      calls,
      inputTokens: 100 * calls,
      outputTokens: 10 * calls,
      costUsd,
    })

    expect(await operator.ask('get_costs', { by: 'user' })).toEqual({
      from: `${month}-01`,
      to: new Date().toISOString().slice(0, 10),
      rows: [row(rich, 2, 3), row(poor, 1, 0.5), row(null, 1, null)],
      more: 0,
      total: { calls: 4, costUsd: 3.5 },
    })
    expect((await operator.ask('get_costs', { by: 'agent' })).rows).toEqual([
      row(agent.id, 2, 3),
      row(other.id, 1, 0.5),
      row(null, 1, null),
    ])
    expect(await operator.ask('get_costs', { by: 'model', limit: 1 })).toMatchObject({
      rows: [row('openai/gpt-4o', 2, 2.5)],
      more: 2,
      total: { calls: 4, costUsd: 3.5 },
    })
    expect(await operator.ask('get_costs', { by: 'user', userId: poor })).toMatchObject({
      rows: [row(poor, 2, 0.5)],
      total: { calls: 2, costUsd: 0.5 },
    })
    expect(await operator.ask('get_costs', { by: 'agent', userId: 'usr_none' })).toMatchObject({
      rows: [],
      total: { calls: 0, costUsd: 0 },
    })
  })
})

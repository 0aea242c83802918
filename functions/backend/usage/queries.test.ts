import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usageAnswers } from '#shared/ai/usage/queries/schema.ts'
import { noUsage } from '#shared/ai/usage/queries/totals.ts'
import { dayOf, eachDay, lastDays } from '#shared/platform/days.ts'
import type { Query, Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { day, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const ago = (days: number) => dayOf(Date.now() - days * day)
const mini = 'openai/gpt-4o-mini'

/** A user with two agents' calls, and calls without an agent, on several days. */
async function busyUser() {
  const userId = usage.newUserId()
  const [a, b] = [await usage.agentOf(userId), await usage.agentOf(userId)]
  await usage.completed(userId, { agentId: a.id, costUsd: 0.1 })
  await usage.completed(userId, { agentId: a.id, costUsd: 0.2, success: false })
  await usage.completed(userId, { agentId: a.id, model: mini, costUsd: 0.01, daysAgo: 1 })
  await usage.completed(userId, { agentId: b.id, costUsd: 1, daysAgo: 6 })
  await usage.completed(userId, { model: 'x/unpriced', costUsd: null, daysAgo: 1 })
  await usage.completed(userId, { costUsd: 64, daysAgo: 29 })
  await usage.completed(userId, { costUsd: 512, daysAgo: 40 })
  return { userId, a, b }
}

const model = 'openai/gpt-4o'
const router = { provider: 'router' }
const tokens = (calls: number) => ({
  input_tokens: 100 * calls,
  output_tokens: 10 * calls,
  total_tokens: 110 * calls,
})

describe('a user’s usage', () => {
  it('is returned by day, agent and model, oldest first', async () => {
    const { userId, a, b } = await busyUser()
    const of = (daysAgo: number, agent_id: string | null, calls: number, cost: number | null) => ({
      date: ago(daysAgo),
      agent_id,
      ...router,
      ...tokens(calls),
      cost_usd: cost,
      turn_count: calls,
    })
    const yesterday = [
      { ...of(1, a.id, 1, 0.01), model: mini },
      { ...of(1, null, 1, null), model: 'x/unpriced' },
    ]
    const [status, body] = await usage.show('/api/usage/summary', userId)
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: [
          { ...of(29, null, 1, 64), model },
          { ...of(6, b.id, 1, 1), model },
          ...yesterday.map(() => expect.objectContaining({ date: ago(1) })),
          { ...of(0, a.id, 2, 0.3), model },
        ],
      },
    ])
    expect((body.data as unknown[]).slice(2, 4)).toEqual(expect.arrayContaining(yesterday))
    expect(await usage.show(`/api/usage/summary?userId=${userId}`)).toEqual([200, body])
  })

  it('is returned by model, the most expensive first, models of unknown price last', async () => {
    const { userId } = await busyUser()
    expect(await usage.show('/api/usage/by-model?days=7', userId)).toEqual([
      200,
      {
        success: true,
        data: [
          { model, ...router, ...tokens(3), cost_usd: 1.3, turns: 3 },
          { model: mini, ...router, ...tokens(1), cost_usd: 0.01, turns: 1 },
          { model: 'x/unpriced', ...router, ...tokens(1), cost_usd: null, turns: 1 },
        ],
      },
    ])
    const [, { data }] = await usage.show('/api/usage/by-model', userId)
    expect((data as unknown[])[0]).toMatchObject({ model, cost_usd: 65.3, turns: 4 })
  })

  it('is returned for one agent, only to its owner and to the platform', async () => {
    const { userId, a } = await busyUser()
    const data = [
      { model, ...router, ...tokens(2), cost_usd: 0.3, events: 2 },
      { model: mini, ...router, ...tokens(1), cost_usd: 0.01, events: 1 },
    ]
    const path = `/api/usage/by-agent/${a.id}`
    expect(await usage.show(path, userId)).toEqual([200, { success: true, data }])
    expect(await usage.show(path)).toEqual([200, { success: true, data }])
    expect(await usage.show(path, usage.newUserId())).toEqual([200, { success: true, data: [] }])
    await usage.table.delete({ pk: `agent#${a.id}`, sk: 'owner' })
    expect(await usage.show(path)).toEqual([200, { success: true, data }])
    expect(await usage.show('/api/usage/by-agent/agt_nobody')).toEqual([
      200,
      { success: true, data: [] },
    ])
  })

  it('is returned for the last seven days by default', async () => {
    const { userId } = await busyUser()
    const data = [
      { date: ago(6), total_tokens: 110, cost_usd: 1, turns: 1 },
      { date: ago(1), total_tokens: 220, cost_usd: 0.01, turns: 2 },
      { date: ago(0), total_tokens: 220, cost_usd: 0.3, turns: 2 },
    ]
    expect(await usage.show('/api/usage/daily', userId)).toEqual([200, { success: true, data }])
    const days = async (count: number) =>
      ((await usage.show(`/api/usage/daily?days=${count}`, userId))[1].data as unknown[]).length
    expect([await days(1), await days(2), await days(30), await days(365)]).toEqual([1, 2, 4, 5])
  })

  it.each(['summary', 'by-model', 'daily', 'tools', 'by-agent/agt_1'])(
    'is empty for a user without usage: %s',
    async (name) => {
      const answer = await usage.show(`/api/usage/${name}`, usage.newUserId())
      expect(answer).toEqual([200, { success: true, data: [] }])
    },
  )
})

it('the platform’s usage is the sum of all users’', async () => {
  const platform = await startUsage()
  try {
    const users = [1, 2, 3].map(() => platform.newUserId())
    for (const userId of users) {
      const { id } = await platform.agentOf(userId)
      await platform.completed(userId, { agentId: id, costUsd: 0.1 })
      await platform.completed(userId, { costUsd: 0.2 })
    }
    const show = async (name: string) => (await platform.show(`/api/usage/${name}`))[1].data
    expect(await show('daily')).toEqual([
      { date: ago(0), total_tokens: 660, cost_usd: 0.9, turns: 6 },
    ])
    expect(await show('by-model')).toMatchObject([{ model, cost_usd: 0.9, turns: 6 }])
    // Calls without an agent are one item, shared by all users.
    const summary = await show('summary')
    expect(summary).toHaveLength(4)
    expect(summary).toContainEqual(expect.objectContaining({ agent_id: null, cost_usd: 0.6 }))
  } finally {
    await platform.close()
  }
})

describe('the queries reject', () => {
  const paths = ['summary', 'by-model', 'daily', 'tools', 'by-agent/agt_1'].map(
    (name) => `/api/usage/${name}`,
  )
  const bad = ['0', '366', '-1', '1.5', 'x', '', '1e2', '0x7', ' 7', '99999999999999999999']
  it.each(paths.flatMap((path) => bad.map((days) => [path, days])))(
    'the query %s?days=%s is rejected',
    async (path, days) => {
      const [status, body] = await usage.show(`${path}?days=${encodeURIComponent(days ?? '')}`)
      expect([status, body]).toEqual([400, { error: 'days must be a whole number from 1 to 365' }])
    },
  )

  it.each(paths)('%s rejects two users at once, and an invalid user', async (path) => {
    expect((await usage.show(`${path}?userId=usr_a`, 'usr_b'))[0]).toBe(400)
    expect((await usage.show(`${path}?userId=usr_b`, 'usr_b'))[0]).toBe(200)
    expect((await usage.show(`${path}?userId=a%23b`))[0]).toBe(400)
    expect((await usage.show(`${path}?userId=%40platform`))[0]).toBe(400)
  })

  it.each(paths)('%s rejects every caller except the platform', async (path) => {
    const { session } = await usage.signUp(`s${Math.random()}@b.co`)
    const { headers } = await usage.agentOf('usr_a')
    const status = async (call: object) => (await usage.backend('GET', path, call))[0]
    expect(await status({})).toBe(401)
    expect(await status({ session })).toBe(401)
    expect(await status({ headers })).toBe(403)
    expect(await status({ headers: { authorization: 'Bearer wrong' } })).toBe(403)
  })
})

/** Records every request to a table, and the sort keys of the returned rows. */
function watched(table: Table) {
  const requests: string[] = []
  const rows: string[] = []
  const noting = before(table, (name) => void requests.push(name))
  const query = async (given: Query) => {
    const page = await noting.query(given)
    rows.push(...page.items.map(({ sk }) => sk))
    return page
  }
  return { table: { ...bound(noting), query }, requests, rows }
}

function bound(table: Table): Table {
  const { get, getMany, put, update, delete: remove, query, transact } = table
  return { get, getMany, put, update, delete: remove, query, transact }
}

it('a million calls are read only from their rollups, one for each day and model', async () => {
  const userId = usage.newUserId()
  const pk = userPartition(userId)
  const dates = eachDay(lastDays(100))
  const models = ['a/one', 'a/two', 'b/three', 'b/four']
  const calls = 1_000_000 / (dates.length * models.length)
  const { cost: _, ...counters } = noUsage
  for (const date of dates)
    for (const each of models)
      await usage.table.put({
        pk,
        sk: `rollup#${date}#none#${each}#router`,
        date,
        agentId: null,
        model: each,
        provider: 'router',
        ...counters,
        costUsd: 0,
        calls,
      })
  for (let i = 0; i < 50; i++) await usage.table.put({ pk, sk: `usage#use_${i}`, calls: 1e9 })

  for (const name of ['by-model', 'daily']) {
    const { table, requests, rows } = watched(usage.table)
    const { show } = usage.startProcess({ table })
    const [, { data }] = await show(`/api/usage/${name}?days=100`, userId)
    const items = usageAnswers[name === 'daily' ? 'daily' : 'byModel'].shape.data.parse(data)
    expect(items.reduce((sum, { turns }) => sum + turns, 0)).toBe(1_000_000)
    expect(requests).toEqual(['query'])
    expect(rows).toHaveLength(dates.length * models.length)
    expect(rows.filter((sk) => !sk.startsWith('rollup#'))).toEqual([])
  }
})

it('the platform’s usage is read from its sixteen shards, and one agent’s from its owner', async () => {
  const { id } = await usage.agentOf(usage.newUserId())
  const requestsOf = async (path: string) => {
    const { table, requests } = watched(usage.table)
    await usage.startProcess({ table }).show(path)
    return requests
  }
  expect(await requestsOf('/api/usage/summary')).toEqual(Array(16).fill('query'))
  expect(await requestsOf(`/api/usage/by-agent/${id}`)).toEqual(['get', 'query'])
})

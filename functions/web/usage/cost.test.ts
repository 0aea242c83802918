import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CostAnswer } from '#shared/ai/dashboard/schema.ts'
import { shares } from '#shared/ai/dashboard/shares.ts'
import { day, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

let usage: Usage
let users = 0

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const path = '/api/dashboard/cost'
const newUser = () => usage.signUp(`cost-${++users}@b.co`)

async function show(session: string, period?: string, process: Pick<Usage, 'web'> = usage) {
  const query = period === undefined ? '' : `?period=${period}`
  const [status, body] = await process.web('GET', path + query, { session })
  expect(status).toBe(200)
  return body as unknown as CostAnswer
}

const label = (daysAgo: number) => {
  const date = new Date(Date.now() - daysAgo * day)
  return date.toLocaleDateString('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })
}

const mini = 'openai/gpt-4o-mini'

describe('GET /api/dashboard/cost', () => {
  it('returns agents by name, days and models, the most expensive first', async () => {
    const { id: userId, session } = await newUser()
    const ada = await usage.agentOf(userId, { name: 'Ada' })
    const bob = await usage.agentOf(userId, { name: 'Bob' })
    await usage.completed(userId, { agentId: ada.id, costUsd: 0.1 })
    await usage.completed(userId, { agentId: ada.id, costUsd: 0.2, model: mini, daysAgo: 1 })
    await usage.completed(userId, { agentId: ada.id, costUsd: 0.1, model: mini })
    await usage.completed(userId, { agentId: bob.id, costUsd: 0.6, daysAgo: 6 })
    await usage.completed(userId, { costUsd: null, model: 'x/unpriced' })
    await usage.completed(userId, { agentId: 'agt_deleted', costUsd: 1, daysAgo: 20 })
    const days = (costs: Record<number, [number | null, number]>) =>
      [6, 5, 4, 3, 2, 1, 0].map((ago) => {
        const [cost, tokens] = costs[ago] ?? [0, 0]
        return { date: label(ago), cost, tokens }
      })
    expect(await show(session)).toEqual({
      period: '7d',
      summary: { totalCost: 1, totalTokens: 550, totalCalls: 5, avgCostPerCall: 0.25 },
      agents: [
        {
          name: 'Bob',
          tokens: 110,
          cost: 0.6,
          calls: 1,
          avgCostPerCall: 0.6,
          model: 'openai/gpt-4o',
        },
        {
          name: 'Ada',
          tokens: 330,
          cost: 0.4,
          calls: 3,
          avgCostPerCall: 0.133_333_333,
          model: mini,
        },
        {
          name: '(no agent)',
          tokens: 110,
          cost: null,
          calls: 1,
          avgCostPerCall: null,
          model: 'x/unpriced',
        },
      ],
      daily: days({ 6: [0.6, 110], 1: [0.2, 110], 0: [0.2, 330] }),
      modelBreakdown: [
        { model: 'openai/gpt-4o', percent: 70, cost: 0.7 },
        { model: mini, percent: 30, cost: 0.3 },
        { model: 'x/unpriced', percent: 0, cost: null },
      ],
      isMockData: false,
    })
    const month = await show(session, '30d')
    expect(month.daily).toHaveLength(30)
    expect(month.agents[0]).toMatchObject({ name: 'agt_deleted', cost: 1 })
    expect((await show(session, 'mtd')).daily).toHaveLength(new Date().getUTCDate())
  })

  it('returns sample figures to a user without usage, and marks them', async () => {
    const { id: userId, session } = await newUser()
    const sample = await show(session)
    expect(sample).toMatchObject({ isMockData: true, message: expect.stringMatching(/sample/) })
    expect(sample.agents.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^Sample/),
      expect.stringMatching(/^Sample/),
      expect.stringMatching(/^Sample/),
    ])
    expect(sample.summary.totalCost).toBeGreaterThan(0)
    expectToAddUp(sample)
    await usage.completed(userId, { costUsd: 0 })
    const real = await show(session)
    expect(real).toMatchObject({ isMockData: false, summary: { totalCost: 0, totalCalls: 1 } })
    expect(real).not.toHaveProperty('message')
  })

  it('returns nothing, and no sample, to a user without usage in the period', async () => {
    const { id: userId, session } = await newUser()
    await usage.completed(userId, { daysAgo: 60 })
    expect(await show(session, '30d')).toMatchObject({
      isMockData: false,
      agents: [],
      modelBreakdown: [],
      summary: { totalCost: 0, totalTokens: 0, totalCalls: 0, avgCostPerCall: null },
    })
  })

  it('returns no other user’s usage', async () => {
    const [mine, theirs] = [await newUser(), await newUser()]
    await usage.completed(theirs.id, { costUsd: 7 })
    expect((await show(mine.session)).isMockData).toBe(true)
    const [, body] = await usage.web('GET', path, {
      session: mine.session,
      headers: { 'x-user-id': theirs.id },
    })
    expect(body.isMockData).toBe(true)
  })

  it('falls back to sample figures if usage cannot be read, and to 500 if names cannot', async () => {
    const { id: userId, session } = await newUser()
    await usage.completed(userId, { agentId: 'agt_x' })
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const messages = () => lines.mock.calls.map(([line]) => JSON.parse(String(line)).message)
    const failing = (what: string) => {
      const table = before(usage.table, (name, [given]) => {
        const query = JSON.stringify(given)
        if (name === 'query' && query.includes(what)) throw new Error('the table is on fire')
      })
      return usage.startProcess({ table })
    }
    try {
      expect((await show(session)).summary.totalCalls).toBe(1)
      expect(messages()).toContain('[Cost API] Found 1 usage logs')
      expect((await show(session, '7d', failing('rollup#'))).isMockData).toBe(true)
      expect(messages()).toContain('[Cost API] Table error: the table is on fire')
      expect(await failing('agent#').web('GET', path, { session })).toEqual([
        500,
        { error: 'Failed to fetch cost data' },
      ])
    } finally {
      lines.mockRestore()
    }
  })

  it.each(['1d', '', 'MTD', '7d,30d', 'constructor'])('rejects the period %j', async (period) => {
    const { session } = await newUser()
    expect(await usage.web('GET', `${path}?period=${period}`, { session })).toEqual([
      400,
      { error: 'period must be one of 7d, 30d, mtd' },
    ])
  })
})

/** In billionths, as the platform adds up money. */
const nano = (usd: number | null) => Math.round((usd ?? 0) * 1e9)
const sum = (parts: number[]) => parts.reduce((total, part) => total + part, 0)

function expectToAddUp({ summary, agents, daily, modelBreakdown }: CostAnswer): void {
  const cost = nano(summary.totalCost)
  expect(sum(agents.map((each) => nano(each.cost)))).toBe(cost)
  expect(sum(daily.map((each) => nano(each.cost)))).toBe(cost)
  expect(sum(modelBreakdown.map((each) => nano(each.cost)))).toBe(cost)
  expect(sum(agents.map(({ tokens }) => tokens))).toBe(summary.totalTokens)
  expect(sum(daily.map(({ tokens }) => tokens))).toBe(summary.totalTokens)
  expect(sum(agents.map(({ calls }) => calls))).toBe(summary.totalCalls)
  const tenths = sum(modelBreakdown.map(({ percent }) => Math.round(percent * 10)))
  expect(tenths).toBe(cost === 0 ? 0 : 1000)
  for (const parts of [agents, modelBreakdown]) {
    const costs = parts.map((part) => part.cost ?? -1)
    expect(costs).toEqual([...costs].sort((a, b) => b - a))
  }
}

const completion = fc.record({
  agentId: fc.constantFrom(null, 'agt_1', 'agt_2'),
  model: fc.constantFrom('a/one', 'a/two', 'b/three'),
  provider: fc.constantFrom('router', 'own'),
  inputTokens: fc.nat(1_000_000),
  outputTokens: fc.nat(100_000),
  costUsd: fc.option(
    fc.integer({ min: 0, max: 1e12 }).map((pico) => Number((pico / 1e12).toFixed(12))),
  ),
  success: fc.boolean(),
  daysAgo: fc.nat(8),
})

it('the parts of all usage sum up to the total', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(completion, { minLength: 1, maxLength: 15 }), async (completions) => {
      const { id: userId, session } = await newUser()
      for (const one of completions) await usage.completed(userId, one)
      const within = completions.filter(({ daysAgo }) => daysAgo < 7)
      const answer = await show(session)
      expect(answer.isMockData).toBe(false)
      expect(answer.summary.totalCalls).toBe(within.length)
      expect(answer.summary.totalTokens).toBe(
        sum(within.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)),
      )
      const exact = sum(within.map(({ costUsd }) => costUsd ?? 0))
      expect(answer.summary.totalCost ?? 0).toBeCloseTo(exact, 6)
      expectToAddUp(answer)
      expect(answer.daily.at(-1)?.date).toBe(label(0))
    }),
    { numRuns: 25, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)

it('shares sum up to a hundred, each within a tenth', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1e12), { minLength: 1, maxLength: 40 }), (parts) => {
      const whole = sum(parts)
      const percents = shares(parts.map(BigInt))
      const tenths = sum(percents.map((percent) => Math.round(percent * 10)))
      expect(tenths).toBe(whole === 0 ? 0 : 1000)
      for (const [i, part] of parts.entries())
        if (whole > 0)
          expect(Math.abs((percents[i] ?? 0) - (part / whole) * 100)).toBeLessThan(0.1001)
    }),
  )
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addUpDays } from '#shared/ai/usage/platform-days/add-up.ts'
import { usageAnswers } from '#shared/ai/usage/queries/schema.ts'
import { dayOf, lastDays } from '#shared/platform/days.ts'
import type { Query, Table } from '#shared/platform/table/port.ts'
import { day, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

const models = ['openai/gpt-4o', 'openai/gpt-4o-mini']

/** The platform's two views by model and by day. */
async function views({ show }: Pick<Usage, 'show'>) {
  const [byModel, daily] = await Promise.all([
    show('/api/usage/by-model?days=30'),
    show('/api/usage/daily?days=30'),
  ])
  return {
    byModel: usageAnswers.byModel.parse(byModel[1]).data,
    daily: usageAnswers.daily.parse(daily[1]).data,
  }
}

/** Three users with an agent each, and calls on several days. */
async function busyPlatform() {
  const usage = await startUsage()
  for (const costUsd of [0.1, 0.2, 0.7]) {
    const userId = usage.newUserId()
    const { id } = await usage.agentOf(userId)
    for (const daysAgo of [0, 1, 5, 6, 20])
      for (const model of models)
        await usage.completed(userId, { agentId: id, costUsd, daysAgo, model })
    await usage.completed(userId, { costUsd: null, daysAgo: 9, model: 'x/unpriced' })
  }
  return usage
}

/** Wraps a table and records which rows were read. */
function watched(table: Table) {
  const rows: string[] = []
  const watching = new Proxy(table, {
    get: (target, name: keyof Table) =>
      name === 'query'
        ? async (given: Query) => {
            const page = await target.query(given)
            rows.push(...page.items.map(({ sk }) => sk))
            return page
          }
        : target[name].bind(target),
  })
  return { table: watching, rows }
}

/** Adds up days until none is left. */
async function addUpAll(table: Table): Promise<number> {
  let all = 0
  for (;;) {
    const { days } = await addUpDays({ table })
    if (days === 0) return all
    all += days
  }
}

it('past days are read from one row each, with the same result', async () => {
  const usage = await busyPlatform()
  try {
    const views0 = await views(usage)
    expect(views0.daily).toHaveLength(6)
    expect(views0.daily[0]).toMatchObject({ date: dayOf(Date.now() - 20 * day), cost_usd: 2 })
    // On the first run there is a year to add up; one run handles a part of it.
    expect(await addUpDays({ table: usage.table })).toEqual({ days: 31 })
    const { table, rows } = watched(usage.table)
    expect(await views(usage.startProcess({ table }))).toEqual(views0)
    const { from } = lastDays(3)
    const rollups = rows.filter((sk) => sk.startsWith('rollup#'))
    expect(rollups.length).toBeGreaterThan(0)
    expect(rollups.filter((sk) => sk < `rollup#${from}`)).toEqual([])
    expect(await addUpAll(usage.table)).toBeGreaterThan(300)
    expect(await addUpDays({ table: usage.table })).toEqual({ days: 0 })
    expect(await views(usage)).toEqual(views0)
  } finally {
    await usage.close()
  }
})

it('late records are included at once, even while their day is summed up', async () => {
  const usage = await busyPlatform()
  try {
    const costOn = async (daysAgo: number) => {
      const date = dayOf(Date.now() - daysAgo * day)
      return (await views(usage)).daily.find((each) => each.date === date)?.cost_usd
    }
    await addUpAll(usage.table)
    await usage.completed('usr_late', { costUsd: 4, daysAgo: 5 })
    expect(await costOn(5)).toBe(6)
    let came = false
    const table = before(usage.table, async (name) => {
      if (name !== 'update' || came) return
      came = true
      await usage.completed('usr_later', { costUsd: 8, daysAgo: 5 })
    })
    // A day whose rows were read before its last call arrived is not stored.
    expect(await addUpDays({ table })).toEqual({ days: 0 })
    expect(came).toBe(true)
    expect(await costOn(5)).toBe(14)
    expect(await addUpDays({ table: usage.table })).toEqual({ days: 1 })
    expect(await costOn(5)).toBe(14)
  } finally {
    await usage.close()
  }
})

it('the views match the calls, in any order of records and concurrent sums', async () => {
  const step = fc.oneof(
    fc.record({ call: fc.nat(8), cents: fc.integer({ min: 1, max: 500 }) }),
    fc.record({ ticks: fc.integer({ min: 1, max: 3 }), meanwhile: fc.nat(8) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const usage = await startUsage()
      try {
        const called = new Map<string, number>()
        const call = async (daysAgo: number, cents: number) => {
          const date = dayOf(Date.now() - daysAgo * day)
          called.set(date, (called.get(date) ?? 0) + cents)
          await usage.completed('usr_a', { costUsd: cents / 100, daysAgo })
        }
        for (const each of steps) {
          if ('call' in each) await call(each.call, each.cents)
          else {
            let writes = 0
            const table = before(usage.table, async (name) => {
              if (name === 'update' && ++writes % 7 === 1) await call(each.meanwhile, writes)
            })
            await Promise.all(Array.from({ length: each.ticks }, () => addUpDays({ table })))
          }
          const { daily, byModel } = await views(usage)
          const cents = daily.map(({ date, cost_usd }) => [date, Math.round((cost_usd ?? 0) * 100)])
          expect(Object.fromEntries(cents)).toEqual(Object.fromEntries(called))
          const all = [...called.values()].reduce((sum, one) => sum + one, 0)
          expect(byModel.reduce((sum, one) => sum + (one.cost_usd ?? 0), 0)).toBeCloseTo(all / 100)
        }
      } finally {
        await usage.close()
      }
    }),
    { numRuns: 10 },
  )
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { daysGoBy, type Downgrades, startDowngrades } from '#tests/support/billing/downgrades.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

let on: Downgrades

beforeAll(async () => {
  on = await startDowngrades()
})
afterAll(() => on.fleet.close())
beforeEach(() => on.fleet.forget())

const writes = new Set<keyof Table>(['put', 'update', 'delete', 'transact'])

/** Returns a table whose process dies before its nth write. */
function dyingAt(nth: number): Table {
  let count = 0
  return before(on.fleet.table, (name) => {
    if (writes.has(name) && ++count >= nth) throw new Error('the process has died')
  })
}

async function paying(count: number, plan: 'solo' | 'collective' = 'collective') {
  const user = await on.person(plan)
  await on.plan(user, plan)
  await on.apply(user)
  return { user, agents: await on.agents(user, count) }
}

/** Applies the plan in processes that die before their first write, their second write and so on, then in one that lives. */
async function applyThroughDeaths(user: string): Promise<void> {
  for (let nth = 1; nth <= 12; nth++) await on.apply(user, dyingAt(nth)).catch(() => undefined)
  await on.apply(user)
}

describe('a process that is killed between any two writes', () => {
  it('leaves no step of a lapse and of its end undone, and sends no mail twice', async () => {
    const { user, agents } = await paying(3)
    await on.plan(user, 'collective', 'canceled')
    await applyThroughDeaths(user)
    expect(await on.run(agents)).toBe('000')
    expect(on.subjects(user)).toEqual(['Your plan has ended'])
    await on.plan(user, 'collective', 'active')
    await applyThroughDeaths(user)
    expect(await on.run(agents)).toBe('111')
    expect(on.subjects(user)).toEqual(['Your plan has ended', 'Your agents have started again'])
  })

  it('leaves no step before the deletion undone', async () => {
    const { user, agents } = await paying(2)
    const pass = daysGoBy()
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    pass(23)
    await applyThroughDeaths(user)
    pass(7)
    await applyThroughDeaths(user)
    expect(await on.run(agents)).toBe('--')
    expect(on.subjects(user)).toHaveLength(2)
  })
})

describe('lapse messages', () => {
  it('lapse messages that arrive concurrently take effect once', async () => {
    const { user, agents } = await paying(4)
    await on.plan(user, 'solo')
    await Promise.all(Array.from({ length: 5 }, () => on.apply(user)))
    expect(await on.run(agents)).toBe('1110')
    expect(on.subjects(user)).toEqual(['Some of your agents were stopped'])
    await on.plan(user, 'collective')
    await Promise.all(Array.from({ length: 5 }, () => on.apply(user)))
    expect(await on.run(agents)).toBe('1111')
    expect((await on.fleet.row(agents[3] as Agent)).generation).toBe(2)
    expect(on.subjects(user)).toHaveLength(2)
  })

  it.each([1, 2, 3, 4, 5])(
    'have no effect if the user pays before write %i of a lapse',
    async (nth) => {
      const { user, agents } = await paying(3)
      await on.plan(user, 'collective', 'canceled')
      let count = 0
      const paidMeanwhile = before(on.fleet.table, async (name) => {
        if (writes.has(name) && ++count === nth) await on.plan(user, 'collective', 'active')
      })
      await on.apply(user, paidMeanwhile)
      expect(count).toBeGreaterThanOrEqual(nth)
      await on.apply(user)
      expect(await on.run(agents)).toBe('111')
    },
  )
})

describe('a lapsed agent', () => {
  it('is kept for thirty days, its owner is notified a week before, and then it is deleted', async () => {
    const { user, agents } = await paying(2)
    const pass = daysGoBy()
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    pass(22)
    await on.apply(user)
    expect(on.subjects(user)).toEqual(['Your plan has ended'])
    pass(1)
    await on.apply(user)
    expect(on.subjects(user)[1]).toMatch(/^Your stopped agents will be deleted on /)
    pass(6.9)
    await on.apply(user)
    expect(await on.run(agents)).toBe('00')
    pass(0.1)
    await on.apply(user)
    expect(await on.run(agents)).toBe('--')
    expect(on.subjects(user)).toHaveLength(2)
  })

  it('is not deleted without a week’s notice, after any outage', async () => {
    const { user, agents } = await paying(1)
    const pass = daysGoBy()
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    pass(50)
    await on.apply(user)
    pass(6.9)
    await on.apply(user)
    expect(await on.run(agents)).toBe('0')
    pass(0.1)
    await on.apply(user)
    expect(await on.run(agents)).toBe('-')
  })

  it('is not deleted if the plan is paid in the last moment, nor if its owner has stopped it', async () => {
    const { user, agents } = await paying(2)
    const pass = daysGoBy()
    await on.plan(user, 'collective', 'canceled')
    await on.apply(user)
    pass(23)
    await on.apply(user)
    await on.tell(agents[1] as Agent, 'stop')
    pass(8)
    let count = 0
    const paidMeanwhile = before(on.fleet.table, async (name) => {
      if (writes.has(name) && ++count === 1) await on.plan(user, 'collective', 'active')
    })
    await on.apply(user, paidMeanwhile)
    expect(await on.run(agents)).toBe('10')
  })
})

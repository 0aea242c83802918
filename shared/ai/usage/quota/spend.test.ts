import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { completionEvent } from '../event.ts'
import { settleCall } from '../settle.ts'
import { fromMicroUsd } from './micro-usd.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { agentQuotaKey, quotaKey, toQuota } from './row.ts'
import type { Reservation } from './settlement.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

const start = Date.parse('2026-11-10T00:00:00Z')
const minute = 60_000
/** Long enough for every hold to expire. */
const lifetime = 25 * minute
const micro = (number: number) => number / 1_000_000

interface Caller {
  userId: string
  agentId: string | null
  /** In millionths of a dollar, like all amounts here. */
  cap: number | null
  agentCap: number | null
}

let users = 0
const newCaller = (cap: number | null, agentCap: number | null): Caller => ({
  userId: `usr_spend${users++}`,
  agentId: 'agt_a',
  cap,
  agentCap,
})

function ask({ userId, agentId, cap, agentCap }: Caller, microUsd: number, now = start) {
  const request = {
    userId,
    agentId,
    plan: 'network',
    limit: null,
    cap: cap === null ? null : fromMicroUsd(cap),
    agentCap: agentCap === null ? null : fromMicroUsd(agentCap),
    amounts: { tokens: 0, microUsd },
  }
  return reserve(db, request, now)
}

function completion({ userId, agentId }: Caller, spent: number, now: number) {
  return completionEvent(
    {
      userId,
      agentId,
      model: 'a/b',
      provider: 'router',
      inputTokens: 1,
      outputTokens: 0,
      costUsd: micro(spent),
      estimated: false,
      success: true,
      durationMs: 1,
      endpoint: '/v1/chat/completions',
    },
    now,
  )
}

async function settle(caller: Caller, spent: number, reservation: Reservation, now = start) {
  await settleCall(db, { event: completion(caller, spent, now), reservation }, now)
}

async function monthOf({ userId, agentId }: Caller, whose: 'agent' | 'user', month = '2026-11') {
  const key =
    whose === 'user' ? quotaKey(userId, month) : agentQuotaKey(userId, String(agentId), month)
  const { microUsd } = toQuota(await db.table.get(key))
  const heldTotal = [...microUsd.held.values()].reduce((sum, each) => sum + each, 0)
  return { ...microUsd, heldTotal }
}

const both = async (caller: Caller) => [
  await monthOf(caller, 'user'),
  await monthOf(caller, 'agent'),
]

describe('spend caps', () => {
  it.each([
    ['a user’s', 100, null],
    ['an agent’s', null, 100],
    ['both', 100, 100],
  ])('%s: calls start while less is spent or held, and release the rest', async (_, cap, own) => {
    const caller = newCaller(cap, own)
    const first = await ask(caller, 60)
    await ask(caller, 60)
    await expect(ask(caller, 1)).rejects.toThrow('reserved by calls in progress')
    await settle(caller, 10, first)
    const last = await ask(caller, 40)
    await release(db, { reservation: last }, start)
    for (const [whose, limited] of [
      ['user', cap],
      ['agent', own],
    ] as const) {
      const reservation = limited === null ? 0 : 60
      expect(await monthOf(caller, whose)).toMatchObject({ used: 10, committed: 10 + reservation })
    }
  })

  it('release a crashed call’s hold to the next call that needs it', async () => {
    const caller = newCaller(100, 50)
    await ask(caller, 200)
    await expect(ask(caller, 1, start + 15 * minute)).rejects.toMatchObject({
      code: 'SPEND_CAP_REACHED',
      details: { spentUsd: 0, capUsd: micro(100), resetsAt: '2026-12-01T00:00:00.000Z' },
    })
    const after = await ask(caller, 30, start + lifetime)
    for (const month of await both(caller)) expect(month).toMatchObject({ committed: 30 })
    await settle(caller, 30, after, start + lifetime)
    for (const month of await both(caller))
      expect(month).toMatchObject({ used: 30, committed: 30, heldTotal: 0 })
  })

  it('count a call that is settled after its hold expired, without releasing it twice', async () => {
    const caller = newCaller(100, 100)
    const late = await ask(caller, 200)
    await ask(caller, 10, start + lifetime)
    await settle(caller, 70, late, start + lifetime)
    for (const month of await both(caller))
      expect(month).toMatchObject({ used: 70, committed: 80, heldTotal: 10 })
  })

  it('reset each month, in UTC, and settle in the month of the call', async () => {
    const caller = newCaller(100, 100)
    const lastMinute = Date.parse('2026-11-30T23:59:30Z')
    const before = await ask(caller, 100, lastMinute)
    await expect(ask(caller, 1, lastMinute + 1000)).rejects.toThrow('2026-12-01')
    await settle(caller, 1, await ask(caller, 50, lastMinute + minute), lastMinute + minute)
    await settle(caller, 5, before, lastMinute + minute)
    for (const whose of ['user', 'agent'] as const) {
      expect(await monthOf(caller, whose)).toMatchObject({ used: 5, committed: 5 })
      expect(await monthOf(caller, whose, '2026-12')).toMatchObject({ used: 1, committed: 1 })
    }
  })

  it('count a call once, under repeats', async () => {
    const caller = newCaller(100, 100)
    const reservation = await ask(caller, 90)
    const event = completion(caller, 21, start)
    for (let i = 0; i < 3; i++) await settleCall(db, { event, reservation }, start)
    for (const month of await both(caller))
      expect(month).toMatchObject({ used: 21, committed: 21, heldTotal: 0 })
  })

  it('round a call’s cost up to a millionth of a dollar, and do not round sums', async () => {
    const caller = newCaller(null, null)
    // In binary fractions, 0.1 + 0.2 is more than 0.3.
    for (const spent of [0.1, 3, 0.1 + 0.2 + 2.7]) await settle(caller, spent, await ask(caller, 0))
    for (const month of await both(caller)) expect(month.used).toBe(1 + 3 + 3)
  })

  it('keep the rows small over any number of calls, with few additional requests', async () => {
    const caller = newCaller(1_000_000, 1_000_000)
    let requests = 0
    const table = before(db.table, () => void requests++)
    const calls = 60
    for (let i = 0; i < calls; i++) {
      const now = start + i * 5 * minute
      const reservation = await ask(caller, 2, now)
      await settleCall({ table }, { event: completion(caller, 1, now), reservation }, now)
    }
    // Five hours: one read of each of the two rows per hour.
    expect(requests).toBeLessThanOrEqual(calls + 6)
    for (const month of await both(caller)) {
      expect(month).toMatchObject({ used: calls, committed: calls, heldTotal: 0 })
      expect(month.held.size).toBeLessThan(20)
    }
  })

  it('spend caps of an agent are deleted with it, and their months expire a month after their end', async () => {
    const caller = newCaller(null, 100)
    await settle(caller, 5, await ask(caller, 5))
    const row = await db.table.get(agentQuotaKey(caller.userId, 'agt_a', '2026-11'))
    expect(row?.expiresAt).toBe(Date.parse('2027-01-01T00:00:00Z') / 1000)
    expect(await db.table.get(quotaKey(caller.userId, '2026-11'))).not.toHaveProperty('expiresAt')
  })
})

const most = 80

/** A step by the user, a capped agent, or an agent without a cap. */
const step = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('begin' as const) },
    { weight: 3, arbitrary: fc.constant('settle' as const) },
    { weight: 1, arbitrary: fc.constant('release' as const) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
    { weight: 2, arbitrary: fc.constant('wait' as const) },
  ),
  who: fc.constantFrom(null, 'agt_a', 'agt_b'),
  number: fc.integer({ min: 1, max: most }),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Runs steps against the months of one user and two agents. Steps of one inner list run concurrently. */
async function runHistory(steps: Step[][]): Promise<void> {
  const userId = `usr_spend${users++}`
  const cap = 200
  const agentCap = 120
  const callerOf = (agentId: string | null): Caller => ({
    userId,
    agentId,
    cap,
    agentCap: agentId === 'agt_a' ? agentCap : null,
  })
  let open: { caller: Caller; reservation: Reservation; amount: number; began: number }[] = []
  let now = start
  const spent = { user: 0, agt_a: 0, agt_b: 0 }

  async function run({ what, who, number }: Step): Promise<void> {
    if (what === 'wait') {
      now += (number % 20) * minute
      // No function runs for longer, so its calls are lost.
      open = open.filter(({ began }) => now - began < 15 * minute)
      return
    }
    if (what === 'begin') {
      const began = now
      const caller = callerOf(who)
      const reservation = await ask(caller, number, now).catch((error: unknown) => {
        if (!(error instanceof PlatformError)) throw error
      })
      if (reservation && now - began < 15 * minute)
        open.push({ caller, reservation, amount: number, began })
      return
    }
    const [received] = open.length > 0 ? open.splice(number % open.length, 1) : []
    if (received === undefined || what === 'crash') return
    if (what === 'release') return release(db, { reservation: received.reservation }, now)
    const used = Math.floor((number / most) * received.amount)
    spent.user += used
    if (received.caller.agentId !== null) spent[received.caller.agentId as 'agt_a'] += used
    return settle(received.caller, used, received.reservation, now)
  }

  const months = () =>
    Promise.all([
      monthOf(callerOf(null), 'user'),
      monthOf(callerOf('agt_a'), 'agent'),
      monthOf(callerOf('agt_b'), 'agent'),
    ])
  for (const together of steps) {
    await Promise.all(together.map(run))
    const [user, a, b] = await months()
    expect([user.used, a.used, b.used]).toEqual([spent.user, spent.agt_a, spent.agt_b])
    for (const month of [user, a, b]) {
      expect(month.committed).toBe(month.used + month.heldTotal)
      expect(Math.min(0, ...month.held.values())).toBe(0)
    }
    expect(user.committed).toBeLessThan(cap + most)
    expect(a.committed).toBeLessThan(agentCap + most)
    const underWay = (agent?: string) =>
      open
        .filter(({ caller }) => agent === undefined || caller.agentId === agent)
        .reduce((sum, { amount }) => sum + amount, 0)
    expect(user.heldTotal).toBeGreaterThanOrEqual(underWay())
    expect(a.heldTotal).toBeGreaterThanOrEqual(underWay('agt_a'))
    expect(b.heldTotal).toBe(0)
  }
  if (spent.user >= cap || spent.agt_a >= agentCap) return
  // No call is in progress, so no leftover hold rejects a call.
  now += lifetime
  for (const who of ['agt_a', null]) await ask(callerOf(who), 1, now)
}

it('in every history, the caps of a user and of an agent are respected, add up, and recover', async () => {
  const together = fc.array(step, { minLength: 1, maxLength: 4 })
  await fc.assert(fc.asyncProperty(fc.array(together, { maxLength: 25 }), runHistory), {
    numRuns: 60,
    interruptAfterTimeLimit: 60_000,
  })
}, 120_000)

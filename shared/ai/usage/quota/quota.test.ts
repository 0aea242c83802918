import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/platform/errors.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { completionEvent } from '../event.ts'
import { settleCall } from '../settle.ts'
import type { QuotaRequest } from './claims.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { quotaKey, toQuota } from './row.ts'
import type { Reservation } from './settlement.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

let users = 0
const newUser = () => `usr_quota${users++}`
const start = Date.parse('2026-11-10T00:00:00Z')
const minute = 60_000
/** Long enough for every hold to expire. */
const lifetime = 25 * minute

async function settle(
  userId: string,
  used: number,
  reservation: Reservation,
  now: number,
  table = db.table,
) {
  const event = completionEvent(
    {
      userId,
      agentId: null,
      model: 'a/b',
      provider: 'router',
      inputTokens: used,
      outputTokens: 0,
      costUsd: null,
      estimated: false,
      success: true,
      durationMs: 1,
      endpoint: '/v1/chat/completions',
    },
    now,
  )
  await settleCall({ table }, { event, reservation }, now)
}

async function quota(userId: string) {
  const { tokens, open } = toQuota(await db.table.get(quotaKey(userId, '2026-11')))
  const total = (held: typeof open.held) => [...held.values()].reduce((sum, each) => sum + each, 0)
  const calls = { open: open.committed, slots: total(open.held), held: open.held }
  return { ...tokens, heldTotal: total(tokens.held), calls }
}

const request = (userId: string, tokens: number, limit: number | null = 100): QuotaRequest => ({
  userId,
  agentId: null,
  plan: 'solo',
  limit,
  cap: null,
  agentCap: null,
  amounts: { tokens, microUsd: 0 },
})

const ask = (userId: string, tokens: number, now = start, limit: number | null = 100) =>
  reserve(db, request(userId, tokens, limit), now)

const held = ([hold]: Reservation) => hold?.amounts.tokens ?? 0

describe('a quota', () => {
  it('admits a call while less than the limit is used or held', async () => {
    const user = newUser()
    await ask(user, 60)
    await ask(user, 60)
    const refusal = await ask(user, 1).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(PlatformError)
    expect(refusal).toMatchObject({
      kind: 'too-many-requests',
      code: 'QUOTA_EXCEEDED',
      message:
        'Monthly token quota of the solo plan reached: 0 of 100 tokens used, 120 reserved by calls in progress. ' +
        'The quota resets at 2026-12-01T00:00:00.000Z.',
      details: { plan: 'solo', used: 0, limit: 100, resetsAt: '2026-12-01T00:00:00.000Z' },
      headers: { 'Retry-After': String(21 * 24 * 3600) },
    })
  })

  it('counts the usage once it is settled, and releases the rest', async () => {
    const user = newUser()
    const reservation = await ask(user, 90)
    await settle(user, 30, reservation, start + minute)
    expect(await quota(user)).toMatchObject({ used: 30, committed: 30, heldTotal: 0 })
    await release(db, { reservation: await ask(user, 90) }, start)
    expect(await quota(user)).toMatchObject({ used: 30, committed: 30, heldTotal: 0 })
  })

  it('releases a crashed call’s hold to the next call that needs it', async () => {
    const user = newUser()
    await ask(user, 200)
    await expect(ask(user, 1, start + 15 * minute)).rejects.toThrow('quota')
    const after = await ask(user, 50, start + lifetime)
    expect(await quota(user)).toMatchObject({ used: 0, committed: 50, heldTotal: 50 })
    await settle(user, 50, after, start + lifetime)
    expect(await quota(user)).toMatchObject({ used: 50, committed: 50, heldTotal: 0 })
  })

  it('counts a call that is settled after its hold expired, without releasing it twice', async () => {
    const user = newUser()
    const late = await ask(user, 200)
    await ask(user, 10, start + lifetime)
    await settle(user, 70, late, start + lifetime)
    expect(await quota(user)).toMatchObject({ used: 70, committed: 80, heldTotal: 10 })
  })

  it('keeps the row small over any number of calls', async () => {
    const user = newUser()
    for (let i = 0; i < 40; i++) {
      const now = start + i * 5 * minute
      await settle(user, 1, await ask(user, 2, now, 1000), now)
    }
    expect((await quota(user)).held.size).toBeLessThan(10)
  })

  it('resets each month, in UTC, and settles in the month of the call', async () => {
    const user = newUser()
    const lastMinute = Date.parse('2026-11-30T23:59:30Z')
    const before = await ask(user, 100, lastMinute)
    await expect(ask(user, 1, lastMinute + 1000)).rejects.toThrow('2026-12-01')
    await ask(user, 1, lastMinute + minute)
    await settle(user, 5, before, lastMinute + minute)
    expect(await quota(user)).toMatchObject({ used: 5, committed: 5 })
  })

  it('takes only a slot without a limit, but still counts', async () => {
    const user = newUser()
    const reservation = await ask(user, 5000, start, null)
    expect(await quota(user)).toMatchObject({ committed: 0, heldTotal: 0 })
    await settle(user, 7, reservation, start)
    await release(db, { reservation }, start)
    expect(await quota(user)).toMatchObject({ used: 7, committed: 7 })
  })

  it('records a call once under repeats', async () => {
    const user = newUser()
    const reservation = await ask(user, 90)
    const event = completionEvent({
      userId: user,
      agentId: null,
      model: 'a/b',
      provider: 'router',
      inputTokens: 20,
      outputTokens: 1,
      costUsd: 0.5,
      estimated: false,
      success: true,
      durationMs: 1,
      endpoint: '/x',
    })
    for (let i = 0; i < 3; i++) await settleCall(db, { event, reservation }, start)
    expect(await quota(user)).toMatchObject({ used: 21, committed: 21 })
  })

  it('is exceeded by 200 concurrent calls by at most the usage of one', async () => {
    const user = newUser()
    const requests = await Promise.allSettled(Array.from({ length: 200 }, () => ask(user, 30)))
    const admitted = requests
      .filter((each) => each.status === 'fulfilled')
      .map((each) => each.value)
    expect(admitted).toHaveLength(4)
    await Promise.all(admitted.map((each) => settle(user, 30, each, start)))
    expect(await quota(user)).toMatchObject({ used: 120, committed: 120, heldTotal: 0 })
  })
})

const most = 80

/** The maximum duration of a function. */
const longest = 15 * minute

/** A step: a call starts, ends with part of its hold, fails or crashes, or time passes. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('begin'), fc.integer({ min: 1, max: most })) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('settle'), fc.nat(100)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('release'), fc.nat(100)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('crash'), fc.nat(100)) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('wait'), fc.integer({ min: 1, max: 20 })) },
)

/** Runs steps against one user's month. Steps of one inner list run concurrently. */
async function runHistory(limit: number, steps: [string, number][][]): Promise<void> {
  const user = newUser()
  let open: { reservation: Reservation; began: number }[] = []
  let now = start
  let used = 0

  async function run([what, number]: [string, number]): Promise<void> {
    if (what === 'wait') {
      now += number * minute
      // No function runs for longer, so its calls are lost.
      open = open.filter(({ began }) => now - began < longest)
      return
    }
    if (what === 'begin') {
      const began = now
      const reservation = await ask(user, number, now, limit).catch((error: unknown) => {
        if (!(error instanceof PlatformError)) throw error
      })
      // Time may have passed in the meantime.
      if (reservation && now - began < longest) open.push({ reservation, began })
      return
    }
    const [received] = open.length > 0 ? open.splice(number % open.length, 1) : []
    if (received === undefined || what === 'crash') return
    if (what === 'release') return release(db, { reservation: received.reservation }, now)
    const tokens = Math.floor((number / 100) * held(received.reservation))
    used += tokens
    return settle(user, tokens, received.reservation, now)
  }

  for (const together of steps) {
    await Promise.all(together.map(run))
    const row = await quota(user)
    expect(row.used).toBe(used)
    expect(row.committed).toBe(row.used + row.heldTotal)
    expect(Math.min(0, ...row.held.values())).toBe(0)
    expect(row.committed).toBeLessThan(limit + most)
    expect(row.calls.open).toBe(row.calls.slots)
    expect(Math.min(0, ...row.calls.held.values())).toBe(0)
    const underWay = open.reduce((sum, { reservation }) => sum + held(reservation), 0)
    expect(row.heldTotal).toBeGreaterThanOrEqual(underWay)
  }
  if (used >= limit) return
  // No call is in progress: the next one finds the whole quota free, and leaves nothing held.
  now += lifetime
  await settle(user, 0, await ask(user, 1, now, limit), now)
  expect(await quota(user)).toMatchObject({
    used,
    committed: used,
    heldTotal: 0,
    calls: { open: 0, slots: 0 },
  })
}

it('in every history, the quota is respected, adds up, and recovers from crashes', async () => {
  const together = fc.array(step, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(together, { maxLength: 25 }), (steps) => runHistory(200, steps)),
    { numRuns: 60, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)

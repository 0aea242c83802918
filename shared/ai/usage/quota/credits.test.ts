import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toCredits } from '#shared/money/ledger/credit.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { accountOf, solo } from '#tests/support/ai/callers.ts'
import { creditsOf, grantCredits } from '#tests/support/billing/credits.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { completionEvent } from '../event.ts'
import { settleCall } from '../settle.ts'
import { type Drawing, holdCredits, releaseCredits } from './credits.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { quotaKey, toQuota } from './row.ts'
import type { Reservation } from './settlement.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

const start = Date.parse('2026-11-10T00:00:00Z')
const minute = 60_000
/** The tokens per month. A token costs a millionth of a dollar, so that no rounding is needed. */
const limit = 200
const most = 80

interface Call {
  reservation: Reservation
  drawing: Drawing
  /** The maximum usage of the call. */
  amount: number
  began: number
}

/** Holds a call's tokens, or its cost if the month's tokens are used up, as the gateway does. */
async function begin(userId: string, amount: number, now: number): Promise<Call | undefined> {
  const drawing = { userId, limit }
  const request = {
    userId,
    agentId: null,
    plan: 'solo',
    limit,
    cap: null,
    agentCap: null,
    amounts: { tokens: amount, microUsd: 0 },
  }
  try {
    const reservation = await reserve(db, request, now)
    return { reservation, drawing, amount, began: now }
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const hold = await holdCredits(db, { userId, balance: 0, amount }, now)
    if (hold === undefined) return undefined
    const reservation = await reserve(db, { ...request, limit: null }, now)
    return { reservation, drawing: { ...drawing, hold }, amount, began: now }
  }
}

async function settle({ reservation, drawing }: Call, used: number, now: number): Promise<void> {
  const event = completionEvent(
    {
      userId: drawing.userId,
      agentId: null,
      model: 'a/b',
      provider: 'router',
      inputTokens: used,
      outputTokens: 0,
      costUsd: used / 1_000_000,
      estimated: false,
      success: true,
      durationMs: 1,
      endpoint: '/v1/chat/completions',
    },
    now,
  )
  await settleCall(db, { event, reservation, drawing }, now)
}

const step = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constant('begin' as const) },
    { weight: 4, arbitrary: fc.constant('settle' as const) },
    { weight: 1, arbitrary: fc.constant('release' as const) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
    { weight: 1, arbitrary: fc.constant('grant' as const) },
    { weight: 1, arbitrary: fc.constant('wait' as const) },
  ),
  number: fc.integer({ min: 1, max: most }),
})

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Runs steps for one user. Steps of one inner list run concurrently. */
async function runHistory(steps: Step[][]): Promise<void> {
  const userId = await accountOf(db.table, solo)
  let open: Call[] = []
  let now = start
  let used = 0
  let granted = 0
  let unpaid = 0

  async function run({ what, number }: Step): Promise<void> {
    if (what === 'wait') {
      now += (number % 20) * minute
      // No function runs for longer, so its calls are lost.
      open = open.filter(({ began }) => now - began < 15 * minute)
      return
    }
    if (what === 'grant') {
      granted += number
      return grantCredits(db.table, userId, toCredits(number))
    }
    if (what === 'begin') {
      const call = await begin(userId, number, now)
      if (call !== undefined && now - call.began < 15 * minute) open.push(call)
      return
    }
    const [received] = open.length > 0 ? open.splice(number % open.length, 1) : []
    if (received === undefined || what === 'crash') return
    if (what === 'settle') {
      const tokens = Math.ceil((number / most) * received.amount)
      used += tokens
      return settle(received, tokens, now)
    }
    await release(db, { reservation: received.reservation }, now)
    const { hold } = received.drawing
    if (hold !== undefined) await releaseCredits(db, { userId, hold }, now)
  }

  for (const together of steps) {
    const funded = granted > 0
    await Promise.all(together.map(run))
    const { tokens } = toQuota(await db.table.get(quotaKey(userId, '2026-11')))
    expect(tokens.used).toBe(used)
    const { postings, balance, held } = await creditsOf(db.table, userId)
    const drawn = granted - balance
    const beyond = Math.max(0, used - limit)
    expect(drawn).toBeLessThanOrEqual(beyond)
    // Usage before or during the first grant may have found no credits.
    if (!funded) unpaid = beyond - drawn
    // Less is drawn only if the balance was too small.
    if (postings.every(({ balanceMicroUsd }) => balanceMicroUsd > 0))
      expect(drawn).toBe(beyond - unpaid)
    const holds = open.flatMap(({ drawing: { hold } }) => (hold === undefined ? [] : [hold.amount]))
    expect(held).toBeGreaterThanOrEqual(holds.reduce((sum, each) => sum + each, 0))
  }
  // No call is in progress: the next one finds the whole balance free, and leaves nothing held.
  now += 25 * minute
  await grantCredits(db.table, userId, toCredits(most))
  await db.table.put({ ...quotaKey(userId, '2026-11'), used: limit, committed: limit })
  const next = await begin(userId, most, now)
  expect(next?.drawing.hold).toBeDefined()
  if (next !== undefined) await settle(next, 1, now)
  expect((await creditsOf(db.table, userId)).held).toBe(0)
}

const beyondBeforeTheFirstGrant: Step[][] = [
  [{ what: 'begin', number: most }],
  [{ what: 'begin', number: most }],
  [{ what: 'begin', number: most }],
  [{ what: 'settle', number: most }],
  [{ what: 'settle', number: most }],
  [
    { what: 'settle', number: most },
    { what: 'grant', number: most },
  ],
  [{ what: 'begin', number: most }],
  [{ what: 'settle', number: most }],
]

it('in every history, credits add up, are charged only above the quota, and are released', async () => {
  const together = fc.array(step, { minLength: 1, maxLength: 5 })
  await fc.assert(fc.asyncProperty(fc.array(together, { maxLength: 25 }), runHistory), {
    numRuns: 60,
    examples: [[beyondBeforeTheFirstGrant]],
    interruptAfterTimeLimit: 60_000,
  })
}, 120_000)

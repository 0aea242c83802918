import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { amountOf } from '#shared/money/amounts/amount.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { bookParts, gatewayPayer, shareOf } from '../shared-callers.ts'
import { readMonth } from './parts.ts'
import { reserve } from './reserve.ts'
import { quotaKey } from './row.ts'

let db: TestTable
beforeAll(async () => {
  db = await startTestTable()
})
afterAll(() => db.close())

const parts = Array.from({ length: bookParts }, (_, part) => part)

it('the shares of all parts sum up to the limit, and differ by one at most', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (limit) => {
      const shares = parts.map((part) => shareOf(limit, { part, parts: bookParts }))
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit)
      expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
    }),
  )
})

/** Each history uses another year, because a shared caller has one set of rows per month. */
let year = 2100

/**
 * Reserves calls until one is rejected.
 * @returns the held amounts and the month
 */
async function fill({ cap, before, amount }: { cap: number; before: number; amount: number }) {
  const now = Date.parse(`${year++}-06-10T00:00:00Z`)
  const month = new Date(now).toISOString().slice(0, 7)
  const counted = { usedMicroUsd: before, committedMicroUsd: before }
  await db.table.put({ ...quotaKey(gatewayPayer, month), ...counted })
  const request = {
    userId: gatewayPayer,
    agentId: null,
    plan: 'label',
    limit: null,
    cap: amountOf('USD', BigInt(cap)),
    agentCap: null,
    amounts: { tokens: 0, microUsd: amount },
  }
  let admitted = 0
  let refused: unknown
  while (refused === undefined)
    await reserve(db, request, now).then(
      () => admitted++,
      (error: unknown) => {
        refused = error
      },
    )
  return { admitted, refused, month: await readMonth(db.table, gatewayPayer, month) }
}

describe('a cap in parts', () => {
  it('admits calls until it is full, and is exceeded by less than one call per part', async () => {
    const amounts = fc.record({
      cap: fc.integer({ min: 0, max: 40_000_000 }),
      before: fc.integer({ min: 0, max: 50_000_000 }),
      amount: fc.integer({ min: 500_000, max: 6_000_000 }),
    })
    await fc.assert(
      fc.asyncProperty(amounts, async ({ cap, before, amount }) => {
        const { admitted, refused, month } = await fill({ cap, before, amount })
        expect(refused).toBeInstanceOf(PlatformError)
        expect(refused).toMatchObject({ code: 'SPEND_CAP_REACHED', details: { capUsd: cap / 1e6 } })
        expect(month.microUsd.committed).toBe(before + admitted * amount)
        // Calls were admitted until nothing was left, and earlier usage still counts.
        expect(month.microUsd.committed).toBeGreaterThanOrEqual(cap)
        const left = Math.max(0, cap - before)
        // One part per dollar, at most sixteen.
        const inUse = Math.max(1, Math.min(bookParts, Math.floor(cap / 1_000_000)))
        expect(admitted * amount).toBeLessThan(left + inUse * amount)
      }),
      { numRuns: 10 },
    )
  })
})

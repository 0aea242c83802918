import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newSeed } from '#shared/platform/ids.ts'
import { createLog } from '#shared/platform/log.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { findClaim, useClaim } from './claim.ts'
import { leasePayment, type PaymentLeaseRequest, releasePayment, storePurchase } from './lease.ts'
import { claimRows } from './rows.ts'

let database: TestTable
beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

const now = 1_700_000_000_000
const forMs = 65_000

/** Creates a payment, and functions for attempts to use it. */
function paid() {
  const { table } = database
  const payment = newSeed()
  const expiresAt = Math.ceil(Date.now() / 1000) + 3600
  const request = { payment, payer: '0xpayer', order: 'order', seed: 'seed', forMs, expiresAt }
  return {
    table,
    payment,
    expiresAt,
    ctx: { table, log: createLog() },
    lease: (given: Partial<PaymentLeaseRequest> = {}, at = now) =>
      leasePayment(table, { ...request, ...given }, at),
  }
}

const used = expect.objectContaining({ code: 'PAYMENT_USED' })

describe('a leased payment', () => {
  it('is not available to other attempts until its lease expires, and then to one of many', async () => {
    const { lease } = paid()
    await lease()
    await expect(lease({ seed: 'retry' }, now + forMs)).rejects.toEqual(used)
    const attempts = Array.from({ length: 8 }, (_, i) => lease({ seed: `${i}` }, now + forMs + 1))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('can be changed only by its last holder', async () => {
    const { lease, table, ctx, payment, expiresAt } = paid()
    const killed = await lease()
    const current = await lease({ seed: 'retry' }, now + forMs + 1)
    await expect(storePurchase(table, killed, { late: true }, { expiresAt })).rejects.toEqual(used)
    await releasePayment(ctx, killed)
    await expect(lease({ seed: 'third' }, now + forMs + 2)).rejects.toEqual(used)
    await storePurchase(table, current, { settlingSince: 7 }, { expiresAt })
    expect(await findClaim(table, payment)).toMatchObject({ bought: { settlingSince: 7 } })
  })

  it('is available immediately after its release, for the order of its purchase', async () => {
    const { lease, table, ctx, expiresAt } = paid()
    const first = await lease()
    await storePurchase(table, first, { settlingSince: 7 }, { expiresAt })
    await releasePayment(ctx, first)
    await expect(lease({ order: 'another order' }, now + 1)).rejects.toEqual(used)
    expect((await lease({}, now + 1)).claim.bought).toEqual({ settlingSince: 7 })
  })

  it('is returned as used only to a retry of the request that used it', async () => {
    const { lease, table, payment } = paid()
    await lease()
    await useClaim(table, payment)
    expect((await lease({}, now + forMs + 1)).claim.used).toBe(true)
    await expect(lease({ seed: 'another' }, now + forMs + 1)).rejects.toEqual(used)
  })

  it('a leased payment that is released can be leased by the last release of the platform, and vice versa', async () => {
    const { lease, table, ctx, payment } = paid()
    await releasePayment(ctx, await lease())
    const key = claimRows.key({ payment })
    await table.update(key, {
      set: { holder: 'last release', heldUntil: now + forMs },
      if: 'attribute_not_exists(pk) OR (attribute_not_exists(#used) AND #heldUntil <= :now)',
      values: { now },
    })
    await expect(lease()).rejects.toEqual(used)
    await table.update(key, { set: { heldUntil: 0 } })
    expect((await lease()).claim.holder).not.toBe('last release')
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import { completed, sessionOf } from '#tests/support/billing/payment-events.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const credits = async (session: string) =>
  (await billing.web('GET', '/api/credits', { session }))[1].credits

const ledger = async (session: string) => {
  const { entries } = await platformOver(billing.call, { session }).billing.ledger()
  return entries.map(({ amount, reason }) => [reason, amount])
}

/** Creates a user with an order of 200 credits for 15 pounds. */
async function buyer() {
  const user = await billing.newUser()
  const paid = sessionOf(await billing.order(user.session, { action: 'buy-credits', pack: 200 }))
  const refund = (pence: number, id = `evt_${randomUUID()}`) =>
    billing.deliver({
      id,
      type: 'charge.refunded',
      object: { payment_intent: paid.payment_intent, amount: 1500, amount_refunded: pence },
    })
  return { ...user, paid, pay: () => billing.deliver(completed(paid)), refund }
}

describe('credits that are refunded', () => {
  it('are withdrawn in proportion to the refund, once', async () => {
    const { id, session, pay, refund } = await buyer()
    await pay()
    await refund(750, 'evt_half')
    await refund(750, 'evt_half')
    await refund(750)
    expect(await credits(session)).toBe(100)
    await refund(1500)
    expect(await credits(session)).toBe(0)
    expect(await ledger(session)).toEqual([
      ['refund', -100],
      ['refund', -100],
      ['grant', 200],
    ])
    expect(await billing.told()).toContain(id)
  })

  it('are withdrawn even if the refund is reported before the payment', async () => {
    const { session, pay, refund } = await buyer()
    await refund(750)
    expect(await credits(session)).toBe(0)
    await pay()
    expect(await credits(session)).toBe(100)
    await refund(300)
    expect(await credits(session)).toBe(100)
  })

  it('are not granted if the payment was fully refunded before', async () => {
    const { session, pay, refund } = await buyer()
    await refund(1500)
    await pay()
    expect(await credits(session)).toBe(0)
    expect(await ledger(session)).toEqual([])
  })

  it('are withdrawn up to the balance, and the used rest is reported', async () => {
    const { id, session, pay, refund } = await buyer()
    await pay()
    await billing.give(id, { creditMicroUsd: 3_000_000 })
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    await refund(1500)
    const log = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(await credits(session)).toBe(0)
    expect(log).toContain('refunded credits were already used')
  })

  it('are ignored if no order knows the payment', async () => {
    const { session, pay } = await buyer()
    await pay()
    const object = { payment_intent: 'pi_of_another_shop', amount: 1500, amount_refunded: 1500 }
    expect(await billing.deliver({ type: 'charge.refunded', object })).toEqual([
      200,
      { received: true },
    ])
    expect(await credits(session)).toBe(200)
  })
})

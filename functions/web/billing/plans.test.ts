import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import {
  completed,
  sessionOf,
  subscriptionEvent,
  subscriptionOf,
} from '#tests/support/billing/payment-events.ts'

let billing: Billing

beforeAll(async () => {
  billing = await startBilling()
})
afterAll(() => billing.close())

const solo = { action: 'create-checkout', plan: 'solo' }
const network = { ...solo, plan: 'network' }
const at = Math.floor(Date.now() / 1000) - 1000

/** Creates a user who has paid for solo. */
async function subscriber() {
  const user = await billing.newUser()
  const paid = sessionOf(await billing.order(user.session, solo))
  await billing.deliver(completed(paid, at))
  const of = (status: string, given = {}) => subscriptionOf(paid.subscription, status, 7900, given)
  return { ...user, subscription: paid.subscription, of }
}

describe('a subscription at the provider', () => {
  it.each([
    ['incomplete', 'inactive'],
    ['trialing', 'trialing'],
    ['active', 'active'],
    ['past_due', 'past_due'],
    ['unpaid', 'past_due'],
    ['paused', 'past_due'],
    ['canceled', 'canceled'],
    ['incomplete_expired', 'canceled'],
  ])('a subscription at the provider that is %s there is %s here', async (theirs, ours) => {
    const { session, of } = await subscriber()
    await billing.deliver(subscriptionEvent('updated', of(theirs), at + 1))
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'solo',
      subscriptionStatus: ours,
    })
  })

  it('returns the end of its trial during the trial', async () => {
    const { session, of } = await subscriber()
    const trial = of('trialing', { trial_end: 1_900_000_000 })
    await billing.deliver(subscriptionEvent('updated', trial, at + 1))
    expect(await billing.see(session)).toMatchObject({
      trial: { endsAt: '2030-03-17T17:46:40.000Z' },
    })
    await billing.deliver(subscriptionEvent('updated', of('active'), at + 2))
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'active', trial: null })
  })

  it('a subscription at the provider whose price changed to another plan’s changes the plan', async () => {
    const { id, session, subscription } = await subscriber()
    const larger = subscriptionOf(subscription, 'active', 19_900)
    await billing.told()
    await billing.deliver(subscriptionEvent('updated', larger, at + 1))
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'collective' })
    expect(await billing.told()).toEqual([id])
  })

  it.each([
    ['unknown', { unit_amount: 7800, currency: 'gbp', recurring: { interval: 'month' } }],
    [
      'of another currency',
      { unit_amount: 19_900, currency: 'usd', recurring: { interval: 'month' } },
    ],
    ['yearly', { unit_amount: 19_900, currency: 'gbp', recurring: { interval: 'year' } }],
    ['not recurring', { unit_amount: 19_900, currency: 'gbp', recurring: null }],
  ])(
    'a subscription at the provider whose price is %s does not change the plan',
    async (_, price) => {
      const { session, of } = await subscriber()
      const items = { data: [{ price, quantity: 1 }] }
      await billing.deliver(subscriptionEvent('updated', of('past_due', { items }), at + 1))
      expect(await billing.see(session)).toMatchObject({
        currentPlan: 'solo',
        subscriptionStatus: 'past_due',
      })
    },
  )

  it('a subscription at the provider with two items does not change the plan', async () => {
    const { session, of } = await subscriber()
    const price = { unit_amount: 19_900, currency: 'gbp', recurring: { interval: 'month' } }
    for (const data of [[{ price, quantity: 2 }], [{ price }, { price }], []])
      await billing.deliver(subscriptionEvent('updated', of('active', { items: { data } }), at + 1))
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'solo' })
  })

  it('a subscription at the provider without a record has no effect', async () => {
    const { session } = await subscriber()
    const other = subscriptionOf('sub_of_another_shop', 'canceled', 7900)
    await billing.deliver(subscriptionEvent('deleted', other, at + 1))
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'active' })
  })

  it('a subscription at the provider that a trusted caller gave updates its user too', async () => {
    const { id, session } = await billing.newUser()
    const subscriptionId = `sub_${randomUUID()}`
    await billing.subscribe({ userId: id, plan: 'solo', subscriptionId })
    const ended = subscriptionOf(subscriptionId, 'canceled', 7900)
    await billing.deliver(subscriptionEvent('deleted', ended))
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'solo',
      subscriptionStatus: 'canceled',
    })
  })
})

describe('of two checkouts', () => {
  it.each([
    ['in the order of their payments', [0, 1]],
    ['in reverse order', [1, 0]],
  ])('the one that was paid later holds the plan, reported %s', async (_, order) => {
    const { id, session } = await billing.newUser()
    const orders = [await billing.order(session, solo), await billing.order(session, network)]
    const paid = orders.map((one) => sessionOf(one))
    for (const i of order) await billing.deliver(completed(paid[i] ?? {}, at + i))
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'network',
      subscriptionStatus: 'active',
    })
    const [first, second] = paid.map(({ subscription }) => subscription)
    billing.provider.subscriptions.set(String(first), { id: first })
    await billing.cancelUnwanted(id)
    await billing.cancelUnwanted(id)
    expect(billing.cancels(first)).toHaveLength(1)
    expect(billing.cancels(second)).toHaveLength(0)
    await billing.deliver(
      subscriptionEvent('deleted', subscriptionOf(first, 'canceled', 7900), at + 5),
    )
    expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'active' })
  })
})

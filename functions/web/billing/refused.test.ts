import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Billing, startBilling } from '#tests/support/billing/billing.ts'
import {
  completed,
  sessionOf,
  subscriptionEvent,
  subscriptionOf,
} from '#tests/support/billing/payment-events.ts'

let billing: Billing
let lines: string[]

beforeAll(async () => {
  billing = await startBilling()
})
beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterAll(() => billing.close())

const at = Math.floor(Date.now() / 1000) - 1000
const solo = { action: 'create-checkout', plan: 'solo' }
const counted = () =>
  lines.filter((line) => line.includes('a payment does not match its order')).length

async function paidFor(given: Record<string, unknown> = {}) {
  const user = await billing.newUser()
  const order = await billing.order(user.session, solo)
  const paid = sessionOf(order, given)
  billing.provider.subscriptions.set(String(paid.subscription), { id: paid.subscription })
  return { ...user, order, paid, orderId: order.form['metadata[order]'] ?? '' }
}

describe('a subscription whose payment does not match its order is cancelled once, and counted', () => {
  it.each([
    ['amount', { amount_total: 100 }],
    ['quantity', { amount_total: 2 * 7900 }],
    ['currency', { currency: 'usd' }],
    ['mode', { mode: 'payment' }],
    ['user', { client_reference_id: 'usr_of_another' }],
  ])('a subscription is cancelled because of the %s of its payment', async (_, given) => {
    const { id, session, paid } = await paidFor(given)
    await billing.told()
    for (const type of ['completed', 'completed', 'async_payment_succeeded'])
      await billing.deliver({ type: `checkout.session.${type}`, object: paid })
    expect(await billing.told()).toEqual([id, id, id])
    await billing.cancelUnwanted(id)
    await billing.cancelUnwanted(id)
    expect(billing.cancels(paid.subscription)).toHaveLength(1)
    expect(counted()).toBe(1)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'free' })
  })

  it('a subscription is cancelled even if only its own event identifies it', async () => {
    for (const isBefore of [true, false]) {
      const { id, paid, orderId } = await paidFor({ amount_total: 100 })
      const own = subscriptionOf(paid.subscription, 'active', 100, {
        metadata: { order: orderId },
        customer: paid.customer,
      })
      const events = [
        completed({ ...paid, subscription: undefined }, at),
        subscriptionEvent('created', own, at),
      ]
      for (const event of isBefore ? events.toReversed() : events) await billing.deliver(event)
      await billing.cancelUnwanted(id)
      expect(billing.cancels(paid.subscription)).toHaveLength(1)
    }
  })

  it('a subscription is cancelled if its user was deleted', async () => {
    const { id, paid } = await paidFor()
    await billing.table.delete({ pk: `user#${id}`, sk: 'profile' })
    await billing.deliver(completed(paid, at))
    await billing.deliver(completed(paid, at))
    await billing.cancelUnwanted(id)
    expect(billing.cancels(paid.subscription)).toHaveLength(1)
    expect(counted()).toBe(1)
    expect(await billing.read(id)).toBeUndefined()
  })

  it('but not if another shop copied the metadata', async () => {
    const { id, paid, orderId } = await paidFor()
    const metadata = { order: orderId }
    const foreign = { ...paid, id: 'cs_of_another_shop', client_reference_id: undefined, metadata }
    await billing.table.delete({ pk: `checkout#${String(paid.id)}`, sk: 'checkout' })
    await billing.table.update(
      { pk: `order#${orderId}`, sk: 'order' },
      { set: {}, remove: ['sessionId'] },
    )
    await billing.deliver(completed({ ...foreign, amount_total: 1 }, at))
    await billing.cancelUnwanted(id)
    expect(billing.cancels(paid.subscription)).toHaveLength(0)
    expect(counted()).toBe(1)
  })

  it('but not if a user has it', async () => {
    const { paid } = await paidFor({ amount_total: 100 })
    const other = await billing.newUser()
    const subscriptionId = String(paid.subscription)
    await billing.subscribe({ userId: other.id, plan: 'solo', subscriptionId })
    await billing.deliver(completed(paid, at))
    await billing.cancelUnwanted(String(paid.client_reference_id))
    expect(billing.cancels(paid.subscription)).toHaveLength(0)
  })
})

it('the payment by an earlier session of an order belongs to its order', async () => {
  const { session, paid, orderId } = await paidFor()
  await billing.table.update(
    { pk: `order#${orderId}`, sk: 'order' },
    { set: { sessionId: 'cs_later' } },
  )
  await billing.deliver(completed(paid, at))
  expect(await billing.see(session)).toMatchObject({
    currentPlan: 'solo',
    subscriptionStatus: 'active',
  })
})

describe('a subscription without a price yet', () => {
  it.each([
    ['a trial', 'no_payment_required', 'trialing'],
    ['a trial that is marked as paid', 'paid', 'trialing'],
    ['a full discount', 'paid', 'active'],
  ])(
    'is granted once the provider reports it as running: %s',
    async (_, payment_status, status) => {
      for (const isBefore of [true, false]) {
        const { session, id, paid } = await paidFor({ payment_status, amount_total: 0 })
        const runs = subscriptionEvent(
          'created',
          subscriptionOf(paid.subscription, status, 7900, { trial_end: 1_900_000_000 }),
          at,
        )
        if (isBefore) await billing.deliver(runs)
        await billing.deliver(completed(paid, at))
        if (!isBefore) {
          expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'inactive' })
          await billing.deliver(runs)
        }
        expect(await billing.see(session)).toMatchObject({
          currentPlan: 'solo',
          subscriptionStatus: status,
          trial: status === 'trialing' ? { endsAt: '2030-03-17T17:46:40.000Z' } : null,
        })
        await billing.cancelUnwanted(id)
        expect(billing.cancels(paid.subscription)).toHaveLength(0)
      }
      expect(counted()).toBe(0)
    },
  )
})

it('events of a user who was deleted after the payment have no effect', async () => {
  const { id, paid } = await paidFor()
  await billing.deliver(completed(paid, at))
  await billing.table.delete({ pk: `user#${id}`, sk: 'profile' })
  const over = subscriptionOf(paid.subscription, 'canceled', 7900)
  for (let i = 0; i < 2; i++)
    expect((await billing.deliver(subscriptionEvent('deleted', over, at + 1)))[0]).toBe(200)
  expect(await billing.read(id)).toBeUndefined()
})

it.each([-1, 1e-200, 1.5, 8_640_000_000_001, 1e300])(
  'an event that was created at %d is rejected',
  async (created) => {
    const { session, paid } = await paidFor()
    expect(await billing.deliver(completed(paid, created))).toEqual([
      400,
      { error: 'The body is not an event' },
    ])
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'free' })
  },
)

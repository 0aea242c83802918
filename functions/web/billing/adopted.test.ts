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

const at = Math.floor(Date.now() / 1000) - 1000
const solo = { action: 'create-checkout', plan: 'solo' }

/** Creates a checkout whose payment does not name its order, and returns the order. */
async function silent(body: Record<string, unknown> = solo, given: Record<string, unknown> = {}) {
  const user = await billing.newUser()
  const order = await billing.order(user.session, body)
  const whole = sessionOf(order)
  const metadata = { order: order.form['metadata[order]'], user: user.id }
  const paid = { ...whole, subscription: undefined, payment_intent: undefined, invoice: undefined }
  const { customer } = whole
  const pence = body.action === undefined ? 3900 : 7900
  const of = (status: string) =>
    subscriptionOf(whole.subscription, status, pence, { customer, metadata, ...given })
  return { ...user, order, paid, whole, of, subscription: String(whole.subscription) }
}

describe('a subscription that its payment does not reference', () => {
  it.each(['before', 'after'])(
    'belongs to its order by its metadata, if its event arrives %s it',
    async (when) => {
      const { id, session, paid, of, subscription } = await silent()
      const created = subscriptionEvent('created', of('incomplete'), at - 1)
      if (when === 'before') await billing.deliver(created)
      await billing.deliver(completed(paid, at))
      if (when === 'after') await billing.deliver(created)
      expect(await billing.see(session)).toMatchObject({
        currentPlan: 'solo',
        subscriptionStatus: 'active',
      })
      expect((await billing.record(id)).subscription.id).toBe(subscription)
      await billing.deliver(subscriptionEvent('deleted', of('canceled'), at + 1))
      expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'canceled' })
    },
  )

  it('is found even if both events arrive concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, session, paid, of, subscription } = await silent()
      await Promise.all([
        billing.deliver(completed(paid, at)),
        billing.deliver(subscriptionEvent('updated', of('past_due'), at + 1)),
      ])
      expect(await billing.see(session)).toMatchObject({ subscriptionStatus: 'past_due' })
      expect((await billing.record(id)).subscription.id).toBe(subscription)
    }
  })

  it('is found for storage', async () => {
    const { id, session, paid, of, subscription } = await silent({})
    await billing.deliver(completed(paid, at))
    await billing.deliver(subscriptionEvent('created', of('active'), at))
    expect((await billing.record(id)).storage?.subscriptionId).toBe(subscription)
    await billing.deliver(subscriptionEvent('deleted', of('canceled'), at + 1))
    expect(await billing.see(session)).toMatchObject({ storageGb: 0 })
  })

  it('is cancelled and refunded if another payment holds the plan', async () => {
    const { id, session, paid, of, subscription, whole } = await silent()
    const other = sessionOf(await billing.order(session, { ...solo, plan: 'network' }))
    await billing.deliver(completed(paid, at))
    await billing.deliver(completed(other, at + 1))
    await billing.cancelUnwanted(id)
    expect(billing.cancels(subscription)).toEqual([])
    billing.provider.subscriptions.set(subscription, {
      id: subscription,
      latest_invoice: whole.invoice,
    })
    await billing.deliver(subscriptionEvent('created', of('active'), at))
    await billing.cancelUnwanted(id)
    await billing.cancelUnwanted(id)
    expect(billing.cancels(subscription)).toHaveLength(1)
    expect(await billing.see(session)).toMatchObject({ currentPlan: 'network' })
  })

  it.each([
    ['another user’s', { metadata: 'user' }],
    ['another customer’s', { customer: 'cus_of_another' }],
  ])('is not assigned to its order if it is %s', async (_, wrong) => {
    const { id, session, paid, of } = await silent()
    const metadata = { ...(of('active').metadata as object), user: 'usr_of_another' }
    const input = 'metadata' in wrong ? { metadata } : wrong
    for (const isBefore of [true, false]) {
      const theirs = { ...of('canceled'), ...input, id: `sub_theirs_${isBefore}_${id}` }
      if (!isBefore) await billing.deliver(completed(paid, at))
      await billing.deliver(subscriptionEvent('deleted', theirs, at + 5))
    }
    expect(await billing.see(session)).toMatchObject({
      currentPlan: 'solo',
      subscriptionStatus: 'active',
    })
    expect((await billing.record(id)).subscription.id).toBeNull()
  })

  it('is not moved from the user who has it', async () => {
    const [mine, theirs] = [await silent(), await silent()]
    await billing.deliver(completed(theirs.whole, at))
    await billing.deliver(completed(mine.paid, at))
    const { metadata, customer } = mine.of('canceled')
    const stolen = { ...theirs.of('past_due'), metadata, customer }
    await billing.deliver(subscriptionEvent('updated', stolen, at + 1))
    expect((await billing.record(mine.id)).subscription.id).toBeNull()
    expect(await billing.see(mine.session)).toMatchObject({ subscriptionStatus: 'active' })
    expect(await billing.see(theirs.session)).toMatchObject({ subscriptionStatus: 'past_due' })
  })
})

describe('a refund of a pack whose payment did not reference it', () => {
  it.each(['before', 'after'])(
    'belongs to its pack’s order by its metadata, if its event arrives %s it',
    async (when) => {
      const { id, session, paid, whole, order } = await silent({ action: 'buy-credits', pack: 200 })
      const metadata = { order: order.form['metadata[order]'], user: id }
      const refund = (pence: number, given = {}) =>
        billing.deliver({
          type: 'charge.refunded',
          object: {
            payment_intent: whole.payment_intent,
            amount_refunded: pence,
            customer: whole.customer,
            metadata,
            ...given,
          },
        })
      if (when === 'before') await refund(750)
      await billing.deliver(completed(paid, at))
      if (when === 'after') await refund(750)
      const credits = async () => (await billing.web('GET', '/api/credits', { session }))[1].credits
      expect(await credits()).toBe(100)
      // Refunds of other payments or customers no longer have an effect.
      await refund(1500, { payment_intent: 'pi_of_another' })
      expect(await credits()).toBe(100)
      await refund(1500)
      expect(await credits()).toBe(0)
    },
  )

  it('is not assigned to its order if it is another customer’s', async () => {
    const { session, paid, order } = await silent({ action: 'buy-credits', pack: 200 })
    await billing.deliver(completed(paid, at))
    const metadata = { order: order.form['metadata[order]'] }
    const object = { payment_intent: 'pi_x', amount_refunded: 1500, customer: 'cus_x', metadata }
    await billing.deliver({ type: 'charge.refunded', object })
    expect((await billing.web('GET', '/api/credits', { session }))[1].credits).toBe(200)
  })
})

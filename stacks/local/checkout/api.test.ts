import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  credits,
  openCheckout,
  type OpenCheckout,
  press,
  solo,
  stripeAt,
} from './testing/harness.ts'

let checkout: OpenCheckout

beforeAll(async () => {
  checkout = await openCheckout()
})
afterAll(() => checkout[Symbol.asyncDispose]())

const create = (...given: Parameters<OpenCheckout['stripe']['checkout']['sessions']['create']>) =>
  checkout.stripe.checkout.sessions.create(...given)

/** Creates and pays a subscription. */
async function subscribed() {
  const { id, url } = await create(solo)
  await press(url, 'pay')
  const { subscription, customer } = await checkout.stripe.checkout.sessions.retrieve(id)
  return { id: String(subscription), customer: String(customer) }
}

describe('the stand-in, called by Stripe’s own client', () => {
  test('creates a session that is open, unpaid and has the price of the offer', async () => {
    const session = await create(solo)
    expect(session).toMatchObject({
      id: expect.stringMatching(/^cs_test_[0-9a-f]{58}$/),
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      mode: 'subscription',
      amount_total: 7900,
      currency: 'gbp',
      client_reference_id: 'usr_1',
      metadata: { order: 'ord_1' },
      livemode: false,
      subscription: null,
      url: `${checkout.url}/c/pay/${session.id}`,
    })
    const found = await checkout.stripe.checkout.sessions.retrieve(session.id)
    expect(found).toEqual(session)
  })

  test('returns the first result for a repeated idempotency key, and rejects it for another request', async () => {
    const idempotencyKey = 'ord_repeated'
    const [one, two] = await Promise.all([
      create(credits, { idempotencyKey }),
      create(credits, { idempotencyKey }),
    ])
    expect(two.id).toBe(one.id)
    const again = await create(credits, { idempotencyKey })
    expect(again).toEqual(one)
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true')
    await expect(create(solo, { idempotencyKey })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
      statusCode: 400,
    })
    expect((await create(credits)).id).not.toBe(one.id)
  })

  test('returns a paid subscription like Stripe: its item, its price, its customer', async () => {
    const { id, customer } = await subscribed()
    const subscription = await checkout.stripe.subscriptions.retrieve(id)
    expect(subscription).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      status: 'active',
      customer,
      metadata: { order: 'ord_1' },
      canceled_at: null,
      items: {
        data: [
          {
            quantity: 1,
            price: { unit_amount: 7900, currency: 'gbp', recurring: { interval: 'month' } },
          },
        ],
      },
    })
    const [item] = subscription.items.data
    const days = ((item?.current_period_end ?? 0) - subscription.created) / 86_400
    expect([28, 29, 30, 31]).toContain(days)
  })

  test('lists subscriptions page by page, newest first, ended ones on request', async () => {
    const made = [await subscribed(), await subscribed(), await subscribed()].map(({ id }) => id)
    await checkout.stripe.subscriptions.cancel(made[1] ?? '')
    const listed = async (query: { status?: 'all' | 'canceled' }) => {
      const all = checkout.stripe.subscriptions.list({ ...query, limit: 1 })
      const ids = (await all.autoPagingToArray({ limit: 1000 })).map(({ id }) => id)
      return ids.filter((id) => made.includes(id))
    }
    expect(await listed({ status: 'all' })).toEqual(made.toReversed())
    expect(await listed({ status: 'canceled' })).toEqual([made[1]])
    expect(await listed({})).toEqual([made[2], made[0]])
  })

  test('cancels once, and then returns 404 for the subscription', async () => {
    const { id } = await subscribed()
    const canceled = await checkout.stripe.subscriptions.cancel(id)
    expect(canceled).toMatchObject({ id, status: 'canceled', ended_at: expect.any(Number) })
    await expect(checkout.stripe.subscriptions.cancel(id)).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
    })
    expect((await checkout.stripe.subscriptions.retrieve(id)).status).toBe('canceled')
  })

  test('opens its portal for an existing customer', async () => {
    const { customer } = await subscribed()
    const return_url = 'http://localhost:3000/dashboard'
    const portal = await checkout.stripe.billingPortal.sessions.create({ customer, return_url })
    expect(portal).toMatchObject({ object: 'billing_portal.session', customer, return_url })
    expect(portal.url).toMatch(`${checkout.url}/p/session/bps_test_`)
    const strange = { customer: 'cus_strange', return_url }
    await expect(checkout.stripe.billingPortal.sessions.create(strange)).rejects.toMatchObject({
      statusCode: 400,
      code: 'resource_missing',
      param: 'customer',
    })
  })

  test.each([
    ['no mode', { ...solo, mode: undefined }, 'parameter_missing', 'mode'],
    ['an unknown parameter', { ...solo, colour: 'red' }, 'parameter_unknown', 'colour'],
    [
      'an unknown parameter of a line',
      { ...solo, line_items: [{ price: 'price_1' }] },
      'parameter_missing',
      'line_items[0][price_data]',
    ],
    ['a script URL', { ...solo, success_url: 'javascript:alert(1)' }, undefined, 'success_url'],
    ['a recurring price in payment mode', { ...solo, mode: 'payment' }, undefined, 'line_items'],
    [
      'a subscription without a recurring price',
      { ...credits, mode: 'subscription' },
      undefined,
      'line_items',
    ],
    ['an unknown customer', { ...solo, customer: 'cus_strange' }, 'resource_missing', 'customer'],
  ])('rejects %s in Stripe’s format', async (_what, given, code, param) => {
    await expect(create(given as typeof solo)).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      param,
      ...(code && { code }),
    })
  })

  test('refunds the first payment of a subscription once, by its invoice', async () => {
    const { url, id } = await create(solo)
    await press(url, 'pay')
    const { invoice } = await checkout.stripe.checkout.sessions.retrieve(id)
    const { data } = await checkout.stripe.invoicePayments.list({ invoice: String(invoice) })
    const intent = String(data[0]?.payment.payment_intent)
    const payBack = (idempotencyKey: string) =>
      checkout.stripe.refunds.create({ payment_intent: intent }, { idempotencyKey })
    const made = await payBack('refund-1')
    expect(made).toMatchObject({ object: 'refund', amount: 7900, payment_intent: intent })
    expect((await payBack('refund-1')).id).toBe(made.id)
    await expect(payBack('refund-2')).rejects.toMatchObject({ code: 'charge_already_refunded' })
    const none = await checkout.stripe.invoicePayments.list({ invoice: 'in_strange' })
    expect(none.data).toEqual([])
  })

  test('returns 404 for unknown ids', async () => {
    const missing = { statusCode: 404, code: 'resource_missing' }
    const { checkout: pages, subscriptions } = checkout.stripe
    await expect(pages.sessions.retrieve('cs_test_strange')).rejects.toMatchObject(missing)
    await expect(subscriptions.retrieve('sub_strange')).rejects.toMatchObject(missing)
    await expect(subscriptions.list({ starting_after: 'sub_strange' })).rejects.toMatchObject({
      code: 'resource_missing',
    })
  })

  test('accepts no other key, for its API or its controls', async () => {
    const stranger = stripeAt(checkout.url, 'sk_test_strange')
    await expect(stranger.checkout.sessions.create(solo)).rejects.toMatchObject({
      type: 'StripeAuthenticationError',
      statusCode: 401,
    })
    for (const headers of [{}, { authorization: 'Bearer sk_test_strange' }])
      expect((await fetch(`${checkout.url}/_control`, { headers })).status).toBe(401)
  })
})

import type { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../testing/harness.ts'
import { credits, openCheckout, type OpenCheckout, press, solo } from './testing/harness.ts'

let checkout: OpenCheckout

beforeAll(async () => {
  checkout = await openCheckout()
})
afterAll(() => checkout[Symbol.asyncDispose]())

async function buy(what: Stripe.Checkout.SessionCreateParams) {
  const { id } = await checkout.stripe.checkout.sessions.create(what)
  await checkout.control('POST', `/sessions/${id}/pay`)
  return checkout.stripe.checkout.sessions.retrieve(id)
}

const last = (type: string, id: string) =>
  until(type, () =>
    checkout.receiver.events.findLast(
      (event) => event.type === type && JSON.stringify(event.data.object).includes(id),
    ),
  )

describe('the controls', () => {
  test('refund a payment in parts, never more than its amount', async () => {
    const payment = String((await buy(credits)).payment_intent)
    const refund = (body?: object) => checkout.control('POST', `/payments/${payment}/refund`, body)
    await refund({ amount: 200 })
    const { data } = await last('charge.refunded', payment)
    expect(data.object).toMatchObject({
      object: 'charge',
      payment_intent: payment,
      amount: 500,
      amount_refunded: 200,
      refunded: false,
    })
    await expect(refund({ amount: 301 })).rejects.toThrow('greater than unrefunded amount')
    expect(await refund()).toMatchObject({ amount_refunded: 500, refunded: true })
    await expect(refund()).rejects.toThrow('charge_already_refunded')
  })

  test('dispute a payment and decide it, also a subscription’s, which its payment references', async () => {
    const { subscription, invoice } = await buy(solo)
    const { data } = await checkout.stripe.invoicePayments.list({ invoice: String(invoice) })
    const payment = String(data[0]?.payment.payment_intent)
    const opened = await checkout.control('POST', `/payments/${payment}/dispute`, {})
    expect((await last('charge.dispute.created', payment)).data.object).toMatchObject({
      object: 'dispute',
      payment_intent: payment,
      amount: 7900,
      status: 'needs_response',
    })
    const { id } = opened as { id: string }
    await checkout.control('POST', `/disputes/${id}/close`, { status: 'won' })
    const closed = await last('charge.dispute.closed', payment)
    expect(closed.data.object).toMatchObject({ id, status: 'won' })
    const paid = await checkout.stripe.invoicePayments.list({
      payment: { type: 'payment_intent', payment_intent: payment },
      expand: ['data.invoice'],
    })
    expect(paid.data[0]?.invoice).toMatchObject({
      parent: { subscription_details: { subscription } },
    })
    const intent = await checkout.stripe.paymentIntents.retrieve(payment)
    expect(intent).toMatchObject({ amount: 7900 })
  })

  test('let a subscription lapse: past due, then canceled', async () => {
    const id = String((await buy(solo)).subscription)
    await checkout.control('POST', `/subscriptions/${id}/fail-payment`)
    const failed = await last('customer.subscription.updated', id)
    expect(failed.data.object).toMatchObject({ id, status: 'past_due' })
    expect(failed.data.previous_attributes).toMatchObject({ status: 'active' })
    await last('invoice.payment_failed', id)
    await checkout.control('POST', `/subscriptions/${id}/cancel`)
    const { data } = await last('customer.subscription.deleted', id)
    expect(data.object).toMatchObject({ id, status: 'canceled' })
    await expect(checkout.control('POST', `/subscriptions/${id}/renew`)).rejects.toThrow('No such')
  })

  test('renew a subscription for one more period', async () => {
    const id = String((await buy(solo)).subscription)
    const [before] = (await checkout.stripe.subscriptions.retrieve(id)).items.data
    await checkout.control('POST', `/subscriptions/${id}/renew`)
    const { status, items } = await checkout.stripe.subscriptions.retrieve(id)
    expect(status).toBe('active')
    expect(items.data[0]?.current_period_start).toBe(before?.current_period_end)
    expect((await last('invoice.paid', id)).data.object).toMatchObject({ amount_paid: 7900 })
  })

  test('end a trial, once', async () => {
    const trial = { ...solo, subscription_data: { metadata: {}, trial_period_days: 14 } }
    const id = String((await buy(trial)).subscription)
    const end = () => checkout.control('POST', `/subscriptions/${id}/end-trial`)
    expect(await end()).toMatchObject({ status: 'active' })
    const { data } = await last('customer.subscription.updated', id)
    expect(data.previous_attributes).toMatchObject({ status: 'trialing' })
    await expect(end()).rejects.toThrow('no trial to end')
  })

  test('change the plan', async () => {
    const id = String((await buy(solo)).subscription)
    const plan = { name: 'Network', amount: 49_900 }
    await checkout.control('POST', `/subscriptions/${id}/change-plan`, plan)
    const { data } = await last('customer.subscription.updated', id)
    expect(data.object).toMatchObject({ items: { data: [{ price: { unit_amount: 49_900 } }] } })
    expect(data.previous_attributes).toMatchObject({
      items: { data: [{ price: { unit_amount: 7900 } }] },
    })
  })

  test.each([
    ['PUT', '/delivery', { mode: 'sometimes' }],
    ['POST', '/payments/pi_strange/refund', { amount: -1 }],
    ['POST', '/payments/pi_strange/refund', {}],
    ['POST', '/payments/pi_strange/dispute', {}],
    ['POST', '/disputes/du_strange/close', { status: 'won' }],
    ['POST', '/sessions/cs_strange/pay', {}],
    ['POST', '/nothing', {}],
  ])('%s %s with %o is rejected', async (method, path, body) => {
    await expect(checkout.control(method, path, body)).rejects.toThrow('"error"')
  })

  test('list the state', async () => {
    const { id, url } = await checkout.stripe.checkout.sessions.create(solo)
    await press(url, 'decline')
    const shown = await checkout.control('GET', '')
    expect(shown).toMatchObject({
      mode: 'normal',
      sessions: expect.arrayContaining([expect.objectContaining({ id, status: 'open' })]),
    })
  })
})

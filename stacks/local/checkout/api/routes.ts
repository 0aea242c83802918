import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { Engine } from '../engine.ts'
import { noSuch, Fault } from '../fault.ts'
import { listOf } from '../objects/list.ts'
import { toPaymentIntent } from '../objects/payment.ts'
import { toPortal } from '../objects/portal.ts'
import { toInvoicePayment, toRefund } from '../objects/refund.ts'
import { toSession } from '../objects/session.ts'
import { toSubscription } from '../objects/subscription.ts'
import { cancel } from '../verbs/change-subscription.ts'
import { createSession } from '../verbs/create-session.ts'
import { openPortal } from '../verbs/open-portal.ts'
import { refund } from '../verbs/refund.ts'
import { readForm } from './form.ts'
import {
  invoicePaymentQuery,
  newCheckout,
  newPortal,
  newRefund,
  subscriptionQuery,
} from './parameters.ts'

/** The part of Stripe's API, version 1, that the platform uses. */
export function stripeApi(engine: Engine): Hono {
  const api = new Hono()

  /** Runs a create once for each Idempotency-Key. */
  const create = async (c: Context, work: (text: string) => object) => {
    const text = await c.req.text()
    const key = c.req.header('idempotency-key')
    const { body, replayed } = runOnce(engine, key, `${c.req.path}\n${text}`, () => work(text))
    if (replayed) c.header('idempotent-replayed', 'true')
    c.header('content-type', 'application/json')
    return c.body(body)
  }

  api.post('/checkout/sessions', (c) =>
    create(c, (text) => toSession(engine, createSession(engine, readForm(newCheckout, text)))),
  )

  api.get('/checkout/sessions/:id', (c) => {
    const id = c.req.param('id')
    const session = engine.sessions.find(id)
    if (session === undefined) throw noSuch('checkout.session', id)
    return c.json(toSession(engine, session))
  })

  api.post('/billing_portal/sessions', (c) =>
    create(c, (text) => toPortal(engine, openPortal(engine, readForm(newPortal, text)))),
  )

  api.get('/subscriptions/:id', (c) => {
    const id = c.req.param('id')
    const subscription = engine.subscriptions.find(id)
    if (subscription === undefined) throw noSuch('subscription', id)
    return c.json(toSubscription(subscription))
  })

  api.get('/subscriptions', (c) => {
    const query = readForm(subscriptionQuery, new URL(c.req.url).search.slice(1))
    const all = engine.subscriptions.list()
    const after = query.starting_after
    const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && start === 0) throw noSuch('subscription', after, 'starting_after')
    const matching = all.slice(start).filter(({ status, customer }) => {
      if (query.customer !== undefined && customer !== query.customer) return false
      if (query.status === undefined) return status !== 'canceled'
      return query.status === 'all' || status === query.status
    })
    const page = matching.slice(0, query.limit).map(toSubscription)
    return c.json(listOf(page, '/v1/subscriptions', matching.length > query.limit))
  })

  api.delete('/subscriptions/:id', (c) => c.json(toSubscription(cancel(engine, c.req.param('id')))))

  api.get('/invoice_payments', (c) => {
    const query = readForm(invoicePaymentQuery, new URL(c.req.url).search.slice(1))
    const session = engine.sessions
      .list()
      .find(({ invoice, payment }) =>
        query.payment === undefined
          ? invoice === query.invoice
          : invoice !== null && payment === query.payment.payment_intent,
      )
    const payment = session?.payment ? engine.payments.find(session.payment) : undefined
    const { invoice: id, subscription } = session ?? {}
    const isWhole = query.expand !== undefined
    const parent = { subscription_details: { subscription } }
    const invoice = isWhole ? { id, object: 'invoice', parent } : id
    const payments =
      payment === undefined || !id ? [] : [{ ...toInvoicePayment(id, payment), invoice }]
    return c.json(listOf(payments, '/v1/invoice_payments'))
  })

  api.get('/payment_intents/:id', (c) => {
    const id = c.req.param('id')
    const payment = engine.payments.find(id)
    if (payment === undefined) throw noSuch('payment_intent', id)
    return c.json(toPaymentIntent(payment))
  })

  api.post('/refunds', (c) =>
    create(c, (text) => {
      const input = readForm(newRefund, text)
      const before = engine.payments.find(input.payment_intent)?.refunded ?? 0
      const refunded = refund(engine, input.payment_intent, input.amount)
      return toRefund(refunded, refunded.refunded - before)
    }),
  )

  return api
}

/**
 * Runs a request once. The same Idempotency-Key gets the same response, even after a restart.
 * @param request the request that the key belongs to
 * @param work runs in the transaction that stores its response; errors are not stored
 * @throws Fault if the key was used for another request
 */
function runOnce(
  { store }: Engine,
  key: string | undefined,
  request: string,
  work: () => object,
): { body: string; replayed: boolean } {
  if (key === undefined) return { body: JSON.stringify(work()), replayed: false }
  const fingerprint = createHash('sha256').update(request).digest('hex')
  return store.transaction(() => {
    const sql = 'SELECT fingerprint, body FROM request WHERE idempotency_key = ?'
    const row = store.get(sql, key)
    if (row === undefined) {
      const body = JSON.stringify(work())
      const insert = 'INSERT INTO request (idempotency_key, fingerprint, body) VALUES (?, ?, ?)'
      store.run(insert, key, fingerprint, body)
      return { body, replayed: false }
    }
    if (row['fingerprint'] !== fingerprint)
      throw new Fault(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        { type: 'idempotency_error' },
      )
    return { body: String(row['body']), replayed: true }
  })
}

import { type Engine, secondsNow } from '../engine.ts'
import { Fault } from '../fault.ts'
import { newId } from '../ids.ts'
import { toPaymentIntent } from '../objects/payment.ts'
import { statusOf, toSession, totalOf } from '../objects/session.ts'
import { toSubscription } from '../objects/subscription.ts'
import { periodAfter } from '../period.ts'
import type { SessionRecord } from '../store/records.ts'
import { payInvoice } from './pay-invoice.ts'
import { recordPayment } from './record-payment.ts'

/**
 * Pays a session with the card that always succeeds. A paid session stays unchanged, so the second of two concurrent clicks
 * does nothing.
 * @returns the session, and the id of the new event, if there is one
 * @throws Fault if the session has expired
 */
export function pay(
  engine: Engine,
  { id }: { id: string },
): { session: SessionRecord; event?: string } {
  return engine.store.transaction(() => {
    const session = engine.sessions.find(id)
    if (session === undefined) throw new Fault('There is no such checkout.', { status: 404 })
    const status = statusOf(engine, session)
    if (status === 'complete') return { session }
    if (status === 'expired') throw new Fault('This checkout has expired.')
    const customer = session.customer ?? newCustomer(engine, session.customerEmail)
    const bought =
      session.mode === 'payment'
        ? payOnce(engine, session, customer)
        : subscribe(engine, session, customer)
    const paid = engine.sessions.put({ ...session, customer, status: 'complete', ...bought })
    const event = engine.events.add('checkout.session.completed', toSession(engine, paid))
    return { session: paid, event }
  })
}

function newCustomer(engine: Engine, email: string | null): string {
  return engine.customers.put({ id: newId('cus'), created: secondsNow(engine), email }).id
}

function payOnce(engine: Engine, session: SessionRecord, customer: string): Partial<SessionRecord> {
  const payment = recordPayment(engine, {
    amount: totalOf(session),
    currency: session.currency,
    customer,
    metadata: session.innerMetadata,
  })
  engine.events.add('payment_intent.succeeded', toPaymentIntent(payment))
  return { payment: payment.id, paymentStatus: 'paid' }
}

const daySeconds = 24 * 3600

/** Creates a subscription, with a trial if requested, and pays its first invoice. */
function subscribe(
  engine: Engine,
  session: SessionRecord,
  customer: string,
): Partial<SessionRecord> {
  const { lines, trialDays, currency, innerMetadata } = session
  const [line] = lines
  if (!line?.interval) throw new Error(`${session.id} sells no subscription`)
  const now = secondsNow(engine)
  const trialEnd = trialDays === null ? null : now + trialDays * daySeconds
  const subscription = engine.subscriptions.put({
    id: newId('sub'),
    created: now,
    customer,
    status: trialEnd === null ? 'active' : 'trialing',
    currency,
    itemId: newId('si'),
    priceId: newId('price'),
    productId: newId('prod'),
    item: { ...line, interval: line.interval },
    metadata: innerMetadata,
    periodStart: now,
    periodEnd: trialEnd ?? periodAfter(now, line.interval),
    trialStart: trialEnd === null ? null : now,
    trialEnd,
    canceledAt: null,
    latestInvoice: newId('in'),
  })
  engine.events.add('customer.subscription.created', toSubscription(subscription))
  const payment = payInvoice(engine, subscription, {
    total: trialEnd === null ? totalOf(session) : 0,
    reason: 'subscription_create',
  })
  return {
    subscription: subscription.id,
    invoice: subscription.latestInvoice,
    payment: payment?.id ?? null,
    paymentStatus: payment === undefined ? 'no_payment_required' : 'paid',
  }
}

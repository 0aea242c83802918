import { type Engine, secondsNow } from '../engine.ts'
import { Fault, noSuch } from '../fault.ts'
import { newId } from '../ids.ts'
import { toInvoice } from '../objects/invoice.ts'
import { toSubscription } from '../objects/subscription.ts'
import { periodAfter } from '../period.ts'
import type { SubscriptionRecord } from '../store/records.ts'
import { payInvoice } from './pay-invoice.ts'

/** Changes of a subscription that has not ended. Each sends the receiver the events that Stripe sends. */

/** @throws Fault 404 if the subscription does not exist or has ended, as at Stripe */
function requireLive(engine: Engine, id: string): SubscriptionRecord {
  const found = engine.subscriptions.find(id)
  if (found === undefined || found.status === 'canceled') throw noSuch('subscription', id)
  return found
}

/** Stores a subscription and sends the event with the previous values of its changed attributes. */
function update(
  engine: Engine,
  before: SubscriptionRecord,
  change: Partial<SubscriptionRecord>,
): SubscriptionRecord {
  const after = engine.subscriptions.put({ ...before, ...change })
  const now = toSubscription(after)
  const changed = new Map(Object.entries(now).map(([name, value]) => [name, JSON.stringify(value)]))
  const previous = Object.entries(toSubscription(before)).filter(
    ([name, value]) => changed.get(name) !== JSON.stringify(value),
  )
  engine.events.add('customer.subscription.updated', now, Object.fromEntries(previous))
  return after
}

const totalOf = ({ item }: SubscriptionRecord) => item.amount * item.quantity

/** The card pays: for the next period, for the amount due, or at the end of a trial. */
export function renew(engine: Engine, id: string): SubscriptionRecord {
  return engine.store.transaction(() => {
    const before = requireLive(engine, id)
    const now = secondsNow(engine)
    // A trial ends now. An overdue payment is for the period that has begun.
    const periodStart = before.status === 'active' ? before.periodEnd : now
    const renewed = {
      ...before,
      status: 'active' as const,
      periodStart,
      periodEnd: periodAfter(periodStart, before.item.interval),
      trialEnd: before.status === 'trialing' ? now : before.trialEnd,
      latestInvoice: newId('in'),
    }
    payInvoice(engine, renewed, { total: totalOf(before), reason: 'subscription_cycle' })
    return update(engine, before, renewed)
  })
}

/** @throws Fault if there is no trial */
export function endTrial(engine: Engine, id: string): SubscriptionRecord {
  return engine.store.transaction(() => {
    if (requireLive(engine, id).status !== 'trialing')
      throw new Fault('This subscription has no trial to end.')
    return renew(engine, id)
  })
}

/** The card does not pay for the next period, so the subscription becomes past due. */
export function failPayment(engine: Engine, id: string): SubscriptionRecord {
  return engine.store.transaction(() => {
    const before = requireLive(engine, id)
    const failed = { ...before, status: 'past_due' as const, latestInvoice: newId('in') }
    const invoice = {
      id: failed.latestInvoice,
      created: secondsNow(engine),
      total: totalOf(before),
      paid: false,
      reason: 'subscription_cycle' as const,
    }
    engine.events.add('invoice.payment_failed', toInvoice(failed, invoice))
    return update(engine, before, failed)
  })
}

/** Ends a subscription immediately. */
export function cancel(engine: Engine, id: string): SubscriptionRecord {
  return engine.store.transaction(() => {
    const before = requireLive(engine, id)
    const canceledAt = secondsNow(engine)
    const over = engine.subscriptions.put({ ...before, status: 'canceled', canceledAt })
    engine.events.add('customer.subscription.deleted', toSubscription(over))
    return over
  })
}

/** @param plan the name, and the price per period in the currency's smallest unit */
export function changePlan(
  engine: Engine,
  id: string,
  plan: { name: string; amount: number },
): SubscriptionRecord {
  return engine.store.transaction(() => {
    const before = requireLive(engine, id)
    return update(engine, before, {
      priceId: newId('price'),
      item: { ...before.item, ...plan },
    })
  })
}

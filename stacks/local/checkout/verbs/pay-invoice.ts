import { type Engine, secondsNow } from '../engine.ts'
import { toInvoice } from '../objects/invoice.ts'
import type { PaymentRecord, SubscriptionRecord } from '../store/records.ts'
import { recordPayment } from './record-payment.ts'

/** Pays a subscription's latest invoice. An invoice over zero, as during a trial, creates no payment. */
export function payInvoice(
  engine: Engine,
  subscription: SubscriptionRecord,
  { total, reason }: { total: number; reason: 'subscription_create' | 'subscription_cycle' },
): PaymentRecord | undefined {
  const { currency, customer, latestInvoice: id } = subscription
  const invoice = { id, created: secondsNow(engine), total, paid: true, reason }
  engine.events.add('invoice.paid', toInvoice(subscription, invoice))
  if (total === 0) return undefined
  return recordPayment(engine, { amount: total, currency, customer, metadata: {} })
}

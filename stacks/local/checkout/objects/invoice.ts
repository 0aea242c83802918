import type { Stripe } from 'stripe'
import type { SubscriptionRecord } from '../store/records.ts'

type Shown = Pick<
  Stripe.Invoice,
  | 'id'
  | 'object'
  | 'amount_due'
  | 'amount_paid'
  | 'amount_remaining'
  | 'billing_reason'
  | 'collection_method'
  | 'created'
  | 'currency'
  | 'customer'
  | 'livemode'
  | 'parent'
  | 'period_end'
  | 'period_start'
  | 'status'
  | 'total'
>

/** Returns the invoice of a subscription's current period in Stripe's format. */
export function toInvoice(
  subscription: SubscriptionRecord,
  invoice: {
    id: string
    created: number
    total: number
    paid: boolean
    reason: 'subscription_create' | 'subscription_cycle'
  },
): Shown {
  const { id, created, total, paid, reason } = invoice
  return {
    id,
    object: 'invoice',
    amount_due: total,
    amount_paid: paid ? total : 0,
    amount_remaining: paid ? 0 : total,
    billing_reason: reason,
    collection_method: 'charge_automatically',
    created,
    currency: subscription.currency,
    customer: subscription.customer,
    livemode: false,
    parent: {
      quote_details: null,
      subscription_details: {
        metadata: subscription.metadata,
        subscription: subscription.id,
      },
      type: 'subscription_details',
    },
    period_end: subscription.periodEnd,
    period_start: subscription.periodStart,
    status: paid ? 'paid' : 'open',
    total,
  }
}

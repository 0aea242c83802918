import type { Stripe } from 'stripe'
import type { SubscriptionRecord } from '../store/records.ts'
import { listOf } from './list.ts'

type Price = Pick<
  Stripe.Price,
  | 'id'
  | 'object'
  | 'active'
  | 'billing_scheme'
  | 'created'
  | 'currency'
  | 'livemode'
  | 'metadata'
  | 'nickname'
  | 'product'
  | 'recurring'
  | 'type'
  | 'unit_amount'
>

type Item = Pick<
  Stripe.SubscriptionItem,
  | 'id'
  | 'object'
  | 'created'
  | 'current_period_end'
  | 'current_period_start'
  | 'metadata'
  | 'subscription'
> & { price: Price; quantity: number }

type Shown = Pick<
  Stripe.Subscription,
  | 'id'
  | 'object'
  | 'billing_cycle_anchor'
  | 'cancel_at'
  | 'cancel_at_period_end'
  | 'canceled_at'
  | 'collection_method'
  | 'created'
  | 'currency'
  | 'customer'
  | 'ended_at'
  | 'latest_invoice'
  | 'livemode'
  | 'metadata'
  | 'pause_collection'
  | 'start_date'
  | 'status'
  | 'trial_end'
  | 'trial_start'
> & { items: Stripe.ApiList<Item> }

/** Returns a subscription in Stripe's format, with one item and a price of its own. */
export function toSubscription(record: SubscriptionRecord): Shown {
  return {
    id: record.id,
    object: 'subscription',
    billing_cycle_anchor: record.periodStart,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: record.canceledAt,
    collection_method: 'charge_automatically',
    created: record.created,
    currency: record.currency,
    customer: record.customer,
    ended_at: record.canceledAt,
    items: listOf([toItem(record)], `/v1/subscription_items?subscription=${record.id}`),
    latest_invoice: record.latestInvoice,
    livemode: false,
    metadata: record.metadata,
    pause_collection: null,
    start_date: record.created,
    status: record.status,
    trial_end: record.trialEnd,
    trial_start: record.trialStart,
  }
}

function toItem(record: SubscriptionRecord): Item {
  const { item, created } = record
  return {
    id: record.itemId,
    object: 'subscription_item',
    created,
    current_period_end: record.periodEnd,
    current_period_start: record.periodStart,
    metadata: {},
    price: {
      id: record.priceId,
      object: 'price',
      active: true,
      billing_scheme: 'per_unit',
      created,
      currency: record.currency,
      livemode: false,
      metadata: {},
      nickname: item.name,
      product: record.productId,
      recurring: {
        interval: item.interval,
        interval_count: 1,
        meter: null,
        trial_period_days: null,
        usage_type: 'licensed',
      },
      type: 'recurring',
      unit_amount: item.amount,
    },
    quantity: item.quantity,
    subscription: record.id,
  }
}

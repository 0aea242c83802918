import type { Stripe } from 'stripe'

/** A list of Stripe's that is whole. */
export function listOf<T>(data: T[], url: string, hasMore = false): Stripe.ApiList<T> {
  return { object: 'list', data, has_more: hasMore, url }
}

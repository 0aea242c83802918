import type { Stripe } from 'stripe'

/** Returns a list in Stripe's format. */
export function listOf<T>(data: T[], url: string, hasMore = false): Stripe.ApiList<T> {
  return { object: 'list', data, has_more: hasMore, url }
}

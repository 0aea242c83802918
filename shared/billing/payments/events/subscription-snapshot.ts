import * as z from 'zod'
import type { SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import { isoOf } from '#shared/platform/times.ts'
import { expandableId, providerId } from './expandable-id.ts'

const number = z.int().optional().catch(undefined)
const text = z.string().optional().catch(undefined)

/** Maps the provider's states to the platform's: contract.md 9, Billing. */
const statuses: ReadonlyMap<string, SubscriptionStatus> = new Map([
  ['incomplete', 'inactive'],
  ['trialing', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['unpaid', 'past_due'],
  ['paused', 'past_due'],
  ['canceled', 'canceled'],
  ['incomplete_expired', 'canceled'],
])

/** The latest epoch second that a Date can represent. */
const lastSecond = 8.64e12

const price = z.object({
  unit_amount: number,
  currency: text,
  recurring: z.object({ interval: text, interval_count: number }).optional().catch(undefined),
})

const item = z.object({ price: price.optional().catch(undefined), quantity: number })

const subscription = z.object({
  id: providerId,
  status: text,
  customer: expandableId,
  trial_end: z.int().min(0).max(lastSecond).optional().catch(undefined),
  items: z
    .object({ data: z.array(item) })
    .optional()
    .catch(undefined),
})

type Item = z.output<typeof item>

/** A subscription as the provider reports it. */
export interface SubscriptionSnapshot {
  id: string
  status: SubscriptionStatus
  customerId: string | null
  trialEndsAt?: string
  /**
   * The monthly price in pence: null if the items have no single monthly price in GBP, absent if the event has no
   * items.
   */
  pence?: number | null
}

/**
 * Parses a subscription object of the provider.
 * @param status overrides the object's own status
 * @returns undefined if the object is not a subscription, or its status is unknown
 */
export function parseSnapshot(object: unknown, status?: string): SubscriptionSnapshot | undefined {
  const parsed = subscription.safeParse(object)
  if (!parsed.success) return undefined
  const { id, customer, trial_end: trialEnd, items } = parsed.data
  const ours = statuses.get(status ?? parsed.data.status ?? '')
  if (ours === undefined) return undefined
  return {
    id,
    status: ours,
    customerId: customer ?? null,
    ...(items !== undefined && { pence: monthlyPence(items.data) }),
    ...(ours === 'trialing' && trialEnd !== undefined && { trialEndsAt: isoOf(trialEnd * 1000) }),
  }
}

/** Returns the price in pence of a single item that is billed monthly in GBP, or null. */
function monthlyPence([first, ...others]: readonly Item[]): number | null {
  if (first?.price === undefined || others.length > 0 || (first.quantity ?? 1) !== 1) return null
  const { unit_amount: pence, currency, recurring } = first.price
  const isMonthly = recurring?.interval === 'month' && (recurring.interval_count ?? 1) === 1
  return currency?.toLowerCase() === 'gbp' && isMonthly ? (pence ?? null) : null
}

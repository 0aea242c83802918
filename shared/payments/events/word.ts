import * as z from 'zod'
import type { SubscriptionStatus } from '../../plans/subscriptions.ts'

/** A thing's id, whether the provider sends the id alone or the whole thing. */
export const idOf = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .optional()
  .catch(undefined)

const number = z.number().optional().catch(undefined)
const text = z.string().optional().catch(undefined)

/** contract.md 9, Billing: the provider's states and ours. */
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

/** The last one that a date can tell, epoch seconds. */
const lastSecond = 8.64e12

const price = z.object({
  unit_amount: number,
  currency: text,
  recurring: z.object({ interval: text, interval_count: number }).optional().catch(undefined),
})

const item = z.object({ price: price.optional().catch(undefined), quantity: number })

const subscription = z.object({
  id: z.string(),
  status: text,
  customer: idOf,
  trial_end: z.number().min(0).max(lastSecond).optional().catch(undefined),
  items: z
    .object({ data: z.array(item) })
    .optional()
    .catch(undefined),
})

type Item = z.output<typeof item>

/** What the provider says of a subscription, whenever it says it. */
export interface Word {
  id: string
  status: SubscriptionStatus
  customerId: string | null
  trialEndsAt?: string
  /** What a month costs, in pence; null where it is not one price in GBP a month, absent where it is not said. */
  pence?: number | null
}

/**
 * A subscription in the form of the provider's events, as we keep it; undefined for what is none, or in a state that is
 * not known. @param status takes the place of the object's own
 */
export function wordOf(object: unknown, status?: string): Word | undefined {
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
    ...(ours === 'trialing' &&
      trialEnd !== undefined && { trialEndsAt: new Date(trialEnd * 1000).toISOString() }),
  }
}

/** What one thing a month costs in GBP; null for every other price. */
function monthlyPence([first, ...others]: readonly Item[]): number | null {
  if (first?.price === undefined || others.length > 0 || (first.quantity ?? 1) !== 1) return null
  const { unit_amount: pence, currency, recurring } = first.price
  const isMonthly = recurring?.interval === 'month' && (recurring.interval_count ?? 1) === 1
  return currency?.toLowerCase() === 'gbp' && isMonthly ? (pence ?? null) : null
}

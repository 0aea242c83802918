import * as z from 'zod'
import { isPaying, type SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import type { Disputes } from '../rows.ts'
import type { PaymentEvent } from './event.ts'
import { expandableId } from './expandable-id.ts'

type Dispute = Disputes[string]

/**
 * Maps the provider's states to the platform's. An inquiry does not withdraw money yet. In a prevented dispute, the
 * money was returned. An appeal follows a lost dispute and can still win it.
 */
const states: ReadonlyMap<string, Dispute['state']> = new Map([
  ['warning_needs_response', 'inquiry'],
  ['warning_under_review', 'inquiry'],
  ['warning_closed', 'won'],
  ['needs_response', 'open'],
  ['under_review', 'open'],
  ['appeal_needs_response', 'open'],
  ['appeal_under_review', 'open'],
  ['won', 'won'],
  ['lost', 'lost'],
  ['prevented', 'lost'],
])

/** The state of a dispute by event type, for events without a status. */
const byType: ReadonlyMap<string, Dispute['state']> = new Map([
  ['charge.dispute.created', 'open'],
  ['charge.dispute.funds_withdrawn', 'open'],
  ['charge.dispute.funds_reinstated', 'won'],
])

/** The order of events within one second: by type, then by state. */
const types = ['charge.dispute.created', 'charge.dispute.updated', 'charge.dispute.closed']
const order: readonly Dispute['state'][] = ['inquiry', 'open', 'lost', 'won']

const object = z.object({
  id: z.string().min(1).max(255),
  amount: z.int().min(0).optional().catch(undefined),
  currency: z.string().optional().catch(undefined),
  status: z.string().optional().catch(undefined),
  payment_intent: expandableId,
  charge: z.object({ payment_intent: expandableId }).optional().catch(undefined),
})

/** A dispute as an event reports it. */
export interface DisputeSnapshot {
  id: string
  paymentIntent: string
  dispute: Dispute
}

/** Parses a dispute from the provider's event. Returns undefined without a payment, or for an unknown state. */
export function disputeOf({ type, created: at, data }: PaymentEvent): DisputeSnapshot | undefined {
  const parsed = object.safeParse(data.object)
  if (!parsed.success) return undefined
  const { id, amount, currency, status, payment_intent: intent, charge } = parsed.data
  const state = status === undefined ? byType.get(type) : states.get(status)
  const paymentIntent = intent ?? charge?.payment_intent
  if (state === undefined || paymentIntent === undefined) return undefined
  const isPence = currency === undefined || currency.toLowerCase() === 'gbp'
  const rank = types.includes(type) ? types.indexOf(type) : 1
  return {
    id,
    paymentIntent,
    dispute: { state, ...(amount !== undefined && isPence && { pence: amount }), at, rank },
  }
}

/** Returns the disputes after an event, or undefined if nothing changes. Events may come in any order. */
export function withDispute(
  known: Disputes | undefined,
  { id, dispute }: Pick<DisputeSnapshot, 'id' | 'dispute'>,
): Disputes | undefined {
  const before = known?.[id]
  if (before !== undefined && compare(dispute, before) <= 0) return undefined
  return { ...known, [id]: dispute }
}

function compare(one: Dispute, other: Dispute): number {
  return (
    one.at - other.at ||
    one.rank - other.rank ||
    order.indexOf(one.state) - order.indexOf(other.state)
  )
}

/** True if a dispute is open or was lost. */
export function isWithheld({ state }: Dispute): boolean {
  return state === 'open' || state === 'lost'
}

/** Returns the disputed or lost part of a payment in pence. @param all the whole payment */
export function disputedPence(known: Disputes | undefined, all: number): number {
  return Object.values(known ?? {})
    .filter(isWithheld)
    .reduce((sum, { pence = all }) => sum + pence, 0)
}

/** True if a payment is disputed, or a dispute about it was lost. */
export function isDisputed(disputes: Disputes | undefined): boolean {
  return Object.values(disputes ?? {}).some(isWithheld)
}

/** The state of a plan or storage: past due while a payment for it is disputed, and after a lost dispute. */
export function statusNow(
  status: SubscriptionStatus,
  disputes: Disputes | undefined,
): SubscriptionStatus {
  return isPaying(status) && isDisputed(disputes) ? 'past_due' : status
}

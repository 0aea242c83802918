import { isDeepStrictEqual } from 'node:util'
import { planOfPrice } from '../catalogue.ts'
import type { EventContext } from '../context.ts'
import type { SubscriptionState } from '../rows.ts'
import { type SubscriptionSnapshot, parseSnapshot } from './subscription-snapshot.ts'

/** The position of an event in its subscription's history: `created`, then the rank of its type within one second. */
interface Position {
  at: number
  rank: number
}

/**
 * Within one second, the event with the higher rank is newer: `created` is followed by the payment, and the payment by
 * `updated`.
 */
export const ranks = { created: 0, paid: 1, updated: 2, deleted: 3 } as const

/**
 * Merges an event's snapshot into the stored state of a subscription. The result does not depend on the order of
 * delivery: the state comes from the newest event, the plan from the newest event with a plan's price.
 * @param known the `position` of the event, and the state before it, `row`
 * @returns undefined if the event changes nothing
 */
export async function mergeSnapshot(
  ctx: EventContext,
  snapshot: SubscriptionSnapshot,
  { position, row }: { position: Position; row: SubscriptionState | undefined },
): Promise<SubscriptionState | undefined> {
  const before: SubscriptionState = {
    ...(row?.seen !== undefined && { seen: row.seen }),
    ...(row?.priced !== undefined && { priced: row.priced }),
  }
  const first = after(before, snapshot, position)
  const isSimultaneous = row?.seen !== undefined && compare(position, row.seen) === 0
  if (isDeepStrictEqual(first, before)) return undefined
  return isSimultaneous ? after(before, await laterOf(ctx, snapshot), position) : first
}

function after(
  { seen, priced }: SubscriptionState,
  { id: _, pence, ...snapshot }: SubscriptionSnapshot,
  position: Position,
): SubscriptionState {
  const plan = planOfPrice(pence)
  const isNewest = seen === undefined || follows(position, seen)
  const isPriced = priced === undefined || follows(position, priced)
  const nextPriced = plan !== undefined && isPriced ? { plan, ...position } : priced
  return {
    seen: isNewest ? { ...snapshot, ...position } : seen,
    ...(nextPriced !== undefined && { priced: nextPriced }),
  }
}

/** A deleted subscription stays deleted, even if its payment is reported with a later time. */
function follows(position: Position, last: Position): boolean {
  if (position.rank === ranks.deleted && last.rank === ranks.paid) return true
  if (position.rank === ranks.paid && last.rank === ranks.deleted) return false
  return compare(position, last) >= 0
}

function compare(one: Position, other: Position): number {
  return one.at - other.at || one.rank - other.rank
}

/**
 * Asks the provider which of two changes in one second is newer. If it does not answer, the event that arrived last
 * wins.
 */
async function laterOf(
  { provider, log }: EventContext,
  snapshot: SubscriptionSnapshot,
): Promise<SubscriptionSnapshot> {
  try {
    const now = parseSnapshot(await provider?.findSubscription(snapshot.id))
    return now?.id === snapshot.id ? now : snapshot
  } catch (error) {
    log.warn('cannot ask the provider which of two events is newer', { id: snapshot.id, error })
    return snapshot
  }
}

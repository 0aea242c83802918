import type { User } from '#shared/accounts/users/user.ts'
import type { SubscriptionStatus } from '#shared/money/plans/subscriptions.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { planOfPrice } from '../catalogue.ts'
import { statusNow } from '../events/disputes.ts'
import { findSubscription } from '../events/find-subscription.ts'
import type { SubscriptionSnapshot } from '../events/subscription-snapshot.ts'
import { ownersOf } from '../owners.ts'
import { orderRows, unwantedRows } from '../rows.ts'

/** A difference between the provider and the platform for one subscription. */
export interface Difference {
  /**
   * `not-held`: the provider bills it, but no user has it. `status`: its state differs. `price`: its price belongs to
   * another plan. `unknown`: a user has it, but the provider does not.
   */
  kind: 'not-held' | 'status' | 'price' | 'unknown'
  subscriptionId: string
  userId: string
  here: string | null
  there: string | null
}

/** A plan or storage that a user has from a subscription at the provider. */
export interface Holding {
  status: SubscriptionStatus
  /** Absent for storage. */
  plan?: string
}

/** Returns the user's plan and storage from this subscription, without grants of a trusted caller. */
export function holdingsOf({ plan, subscription, storage }: User, id: string): Holding[] {
  return [
    ...(subscription.id === id && subscription.orderId !== undefined
      ? [{ status: subscription.status, plan }]
      : []),
    ...(storage?.subscriptionId === id ? [{ status: storage.status }] : []),
  ]
}

export function isRunning(status: SubscriptionStatus): boolean {
  return status === 'active' || status === 'trialing' || status === 'past_due'
}

/**
 * Returns the differences between a subscription at the provider and the users' records.
 * @param given the subscription, with the order in its metadata
 */
export async function compare(
  table: Table,
  { snapshot, orderId }: { snapshot: SubscriptionSnapshot; orderId: string | undefined },
): Promise<Difference[]> {
  const { id: subscriptionId, status, pence } = snapshot
  const owners = await ownersOf(table, subscriptionId)
  const holdings = owners.flatMap((user) =>
    holdingsOf(user, subscriptionId).map((holding) => ({ userId: user.id, holding })),
  )
  if (holdings.length === 0) return notHeld(table, snapshot, orderId)
  const plan = planOfPrice(pence)
  const disputes = (await findSubscription(table, subscriptionId))?.disputes
  const found: Difference[] = []
  for (const { userId, holding } of holdings) {
    const about = { subscriptionId, userId }
    // The provider's state of a subscription does not include disputes.
    if (holding.status !== statusNow(status, disputes))
      found.push({ kind: 'status', ...about, here: holding.status, there: status })
    const hasPrice = isRunning(status) && pence !== undefined
    if (hasPrice && holding.plan !== undefined && holding.plan !== plan)
      found.push({ kind: 'price', ...about, here: holding.plan, there: `${pence} pence` })
  }
  return found
}

/** A running subscription without a user does not count as a difference if its cancellation is scheduled or its order is unknown. */
async function notHeld(
  table: Table,
  { id: subscriptionId, status }: SubscriptionSnapshot,
  orderId: string | undefined,
): Promise<Difference[]> {
  if (orderId === undefined || !isRunning(status)) return []
  const row = await table.get(orderRows.key({ orderId }))
  if (row === undefined) return []
  const { userId } = orderRows.parse(row)
  const unwanted = await table.get(unwantedRows.key({ userId, id: subscriptionId }))
  if (unwanted !== undefined) return []
  return [{ kind: 'not-held', subscriptionId, userId, here: null, there: status }]
}

import type { User } from '../../accounts/user.ts'
import type { SubscriptionStatus } from '../../plans/subscriptions.ts'
import type { Table } from '../../platform/table/port.ts'
import { planOfPrice } from '../catalogue.ts'
import { statusNow } from '../events/disputes.ts'
import { findSubscription } from '../events/find-subscription.ts'
import type { Word } from '../events/word.ts'
import { ownersOf } from '../owners.ts'
import { orderRows, unwantedRows } from '../rows.ts'

/** What the provider and we say differently of one subscription. */
export interface Difference {
  /**
   * `not-held`: it is paid there, and no user has it here. `status`, `price`: it is in another state, or costs what
   * another plan costs. `unknown`: a user has it here, and the provider does not know it.
   */
  kind: 'not-held' | 'status' | 'price' | 'unknown'
  subscriptionId: string
  userId: string
  here: string | null
  there: string | null
}

/** What a user holds by a subscription that was paid for at the provider. */
export interface Holding {
  status: SubscriptionStatus
  /** Absent for storage. */
  plan?: string
}

/** What of a user's is by this subscription; nothing of what a trusted caller gave. */
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

/** Where a subscription of the provider is not as users have it here. @param given with the order that it was made for */
export async function compare(
  table: Table,
  { word, orderId }: { word: Word; orderId: string | undefined },
): Promise<Difference[]> {
  const { id: subscriptionId, status, pence } = word
  const owners = await ownersOf(table, subscriptionId)
  const held = owners.flatMap((user) =>
    holdingsOf(user, subscriptionId).map((holding) => ({ userId: user.id, holding })),
  )
  if (held.length === 0) return notHeld(table, word, orderId)
  const plan = planOfPrice(pence)
  const disputes = (await findSubscription(table, subscriptionId))?.disputes
  const found: Difference[] = []
  for (const { userId, holding } of held) {
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

/** One that is about to be cancelled there is no difference, nor is one of another shop. */
async function notHeld(
  table: Table,
  { id: subscriptionId, status }: Word,
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

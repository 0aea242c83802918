import { paidIndex, subscriptionOwnerRows } from '#shared/accounts/users/rows.ts'
import { findUser } from '#shared/accounts/users/user.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { EventContext } from '../context.ts'
import { type Order, orderRows, type SubscriptionState } from '../rows.ts'
import { scheduleCancellation } from '../schedule-cancellation.ts'
import { type AccountWrites, accountWrites } from './account-writes.ts'
import { countPayments, withPaymentAt } from './count-payments.ts'
import { findNamedOrder } from './find-order.ts'
import { mergeSnapshot, ranks } from './merge-snapshot.ts'
import type { SubscriptionSnapshot } from './subscription-snapshot.ts'

/** The effect of a subscription on the order in its metadata. */
interface Adopted {
  /** The subscription's state, including the payment. */
  known: SubscriptionState
  /**
   * Links the subscription to the buyer's account, if the account has the plan or storage without a subscription id.
   */
  change?: AccountWrites | undefined
  /** The users whose unwanted subscriptions must be cancelled. */
  userIds: string[]
  parts: Parts
}

interface Named {
  snapshot: SubscriptionSnapshot
  known: SubscriptionState | undefined
  /** The subscription object of the event. */
  from: unknown
}

/**
 * Links a subscription without a user to the order in its metadata, for an order whose payment event named no
 * subscription. Cancels the subscription if the order grants nothing.
 * @returns undefined if the metadata name no such order
 */
export async function linkSubscription(
  ctx: EventContext,
  { snapshot, known = {}, from }: Named,
): Promise<Adopted | undefined> {
  const { id, customerId } = snapshot
  const has = ({ buys, subscriptionId }: Order) =>
    buys.kind === 'credits' || subscriptionId !== undefined
  const order = await findNamedOrder(ctx.table, from, { customerId, has })
  if (order === undefined) return undefined
  const { id: orderId, userId, state, refusedSessionId } = order
  const parts: Parts = {
    order: {
      update: orderRows.key({ orderId }),
      set: { subscriptionId: id },
      ...ifUnchanged({ state, refusedSessionId, subscriptionId: undefined }),
    },
  }
  if (state === 'open' && refusedSessionId === undefined) return { known, userIds: [], parts }
  const user = state === 'paid' ? await findUser(ctx.table, userId) : undefined
  const withPaid = user && { ...known, ...(await paidState(ctx, { order, user, snapshot, known })) }
  const change = user && (await accountWrites(ctx, user, { id, ...withPaid }, orderId))
  if (change === undefined)
    return {
      known,
      userIds: [userId],
      parts: { ...parts, unwanted: scheduleCancellation(userId, id, known.seen?.status) },
    }
  const owner = subscriptionOwnerRows.put({ id, userId }, { userId }, paidIndex(id))
  // The payment was recorded with the order's id until now.
  const referral = await countPayments(ctx, userId, { id, ...withPaid }, orderId)
  return {
    known: withPaid ?? known,
    change,
    userIds: [],
    parts: { ...parts, owner: { put: owner }, referral },
  }
}

interface Paid {
  order: Order
  user: NonNullable<Awaited<ReturnType<typeof findUser>>>
  snapshot: SubscriptionSnapshot
  known: SubscriptionState
}

/** Adds the payment to the subscription's state, so that older subscription events do not override it. */
async function paidState(
  ctx: EventContext,
  { order, user, snapshot, known }: Paid,
): Promise<SubscriptionState> {
  const current = order.buys.kind === 'plan' ? user.subscription : user.storage
  const isTrial = current?.since === 0
  if (isTrial || order.paidAt === undefined) return {}
  const { id, customerId } = snapshot
  const paid = { id, status: 'active', customerId, pence: order.pence } as const
  const position = { at: order.paidAt, rank: ranks.paid }
  return {
    ...(await mergeSnapshot(ctx, paid, { position, row: known })),
    payments: withPaymentAt(known.payments, order.paidAt),
  }
}

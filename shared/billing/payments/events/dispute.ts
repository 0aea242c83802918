import { findUser, type User } from '#shared/accounts/users/user.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { EventContext } from '../context.ts'
import { expiry } from '../order.ts'
import { ownersOf } from '../owners.ts'
import {
  type Disputes,
  type Order,
  orderRows,
  paymentIntentRows,
  type PaymentIntent,
  providerSubscriptionRows,
} from '../rows.ts'
import { accountWrites, maxUsers } from './account-writes.ts'
import type { Decision } from './apply.ts'
import { countPaymentsOf } from './count-payments.ts'
import { disputeOf, type DisputeSnapshot, withDispute } from './disputes.ts'
import type { PaymentEvent } from './event.ts'
import { hasIntent, findNamedOrder } from './find-order.ts'
import { findSubscription, ifSubscriptionUnchanged } from './find-subscription.ts'
import { ifIntentUnchanged, moveCredits, referralPart } from './grant-credits.ts'

/**
 * Decides the effect of a dispute. While it is open or after it is lost, its plan or storage is past due, or the
 * disputed share of its credits is withdrawn, as far as the balance allows. A won dispute restores both.
 * @throws PlatformError 502 if the provider cannot name the payment's order
 */
export async function decideDispute(
  ctx: EventContext,
  event: PaymentEvent,
): Promise<Decision | undefined> {
  const snapshot = disputeOf(event)
  if (snapshot === undefined) {
    ctx.log.warn('a dispute could not be parsed', { eventId: event.id, type: event.type }, disputed)
    return undefined
  }
  const intent = await paymentIntentRows.find(ctx.table, { id: snapshot.paymentIntent })
  const order =
    intent?.orderId === undefined
      ? undefined
      : await orderRows.find(ctx.table, { orderId: intent.orderId })
  if (order?.buys.kind === 'credits') return ofCredits(ctx, snapshot, { intent, order })
  if (order?.subscriptionId !== undefined)
    return ofSubscription(ctx, madeAt(snapshot, order.paidAt), order.subscriptionId)
  const payment = await ctx.provider?.findPayment(snapshot.paymentIntent)
  if (payment?.subscriptionId !== undefined)
    return ofSubscription(ctx, madeAt(snapshot, payment.createdAt), payment.subscriptionId)
  const { customerId } = payment ?? {}
  const namedOrder = await findNamedOrder(ctx.table, payment, { customerId, has: hasIntent })
  return ofCredits(ctx, snapshot, { intent, named: namedOrder })
}

interface Known {
  intent: PaymentIntent | undefined
  /** The order of the credits, if it is stored with the payment. */
  order?: Order | undefined
  /** The order in the payment's metadata, if the order is not stored with the payment. */
  named?: Order | undefined
}

/** Decides a dispute about credits. Without its order, the dispute is stored until the payment's event arrives. */
async function ofCredits(
  ctx: EventContext,
  snapshot: DisputeSnapshot,
  { intent, order: paidOrder, named }: Known,
): Promise<Decision | undefined> {
  const order = paidOrder ?? (named?.state === 'paid' ? named : undefined)
  const disputes = withDispute(intent?.disputes, snapshot)
  if (disputes === undefined) return undefined
  const user = order && (await findUser(ctx.table, order.userId))
  const after: PaymentIntent = { ...intent, disputes }
  const before = paidOrder === undefined ? undefined : intent
  const moved = order && user && (await moveCredits(ctx, { order, user, before, after }))
  const userIds = user === undefined ? [] : [user.id]
  return {
    userIds,
    ...logDispute(ctx, snapshot, intent?.disputes, { orderId: order?.id, userIds }),
    parts: {
      intent: {
        update: paymentIntentRows.key({ id: snapshot.paymentIntent }),
        set: {
          disputes,
          ...moved?.set,
          ...(order === undefined ? { expiresAt: expiry() } : { orderId: order.id }),
        },
        ...(order !== undefined && { remove: ['expiresAt'] }),
        ...ifIntentUnchanged(intent),
      },
      order: named && {
        update: orderRows.key({ orderId: named.id }),
        set: { paymentIntent: snapshot.paymentIntent },
        ...ifUnchanged({ state: named.state, paymentIntent: undefined }),
      },
      referral: order && (await referralPart(ctx, order, { intent: after })),
      ...moved?.parts,
    },
  }
}

function madeAt(snapshot: DisputeSnapshot, paymentAt: number | undefined): DisputeSnapshot {
  if (paymentAt === undefined) return snapshot
  return { ...snapshot, dispute: { ...snapshot.dispute, paymentAt } }
}

async function ofSubscription(
  ctx: EventContext,
  snapshot: DisputeSnapshot,
  id: string,
): Promise<Decision | undefined> {
  const row = await findSubscription(ctx.table, id)
  const disputes = withDispute(row?.disputes, snapshot)
  if (disputes === undefined) return undefined
  const users = await ownersOf(ctx.table, id)
  // If the provider reports no state, a won dispute restores the state before the dispute.
  const seen = row?.seen ?? users.map((user) => seenOf(user, id)).find((one) => one !== undefined)
  const state = { id, ...(seen && { seen }), ...(row?.priced && { priced: row.priced }), disputes }
  const all = await Promise.all(users.map((user) => accountWrites(ctx, user, state)))
  const changes = all.flatMap((change) => change ?? []).slice(0, maxUsers)
  const referrals = await countPaymentsOf(ctx, users, { ...row, ...state })
  const userIds = [...new Set([...changes.map(({ userId }) => userId), ...referrals.userIds])]
  const parts = <T>(of: (change: (typeof changes)[number]) => T[]) => changes.flatMap(of)
  return {
    userIds,
    ...logDispute(ctx, snapshot, row?.disputes, { subscription: id, userIds }),
    parts: {
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: state,
        add: { named: 0 },
        ...ifSubscriptionUnchanged(row),
      },
      ...referrals.parts,
      ...numbered(
        'user',
        parts(({ write }) => [write]),
      ),
      ...numbered(
        'audit',
        parts(({ audits }) => audits),
      ),
      ...numbered(
        'webhook',
        parts(({ webhooks }) => webhooks),
      ),
    },
  }
}

function seenOf({ subscription, storage }: User, id: string) {
  const current = [
    subscription,
    ...(storage ? [{ ...storage, id: storage.subscriptionId, trialEndsAt: undefined }] : []),
  ].find((one) => one.id === id)
  if (current === undefined) return undefined
  const { status, customerId, trialEndsAt } = current
  const place = { at: 0, rank: 0 }
  return { status, customerId, ...(trialEndsAt !== undefined && { trialEndsAt }), ...place }
}

const disputed = { by: [['function']], of: { Disputes: [1, 'Count'] } } as const

/**
 * Logs each new state for the operator, who answers disputes at the provider. Raises the alarm unless the dispute was
 * won.
 */
function logDispute(
  { log }: EventContext,
  { id, paymentIntent, dispute: { state, pence } }: DisputeSnapshot,
  known: Disputes | undefined,
  about: { userIds: string[]; orderId?: string | undefined; subscription?: string },
): Pick<Decision, 'afterCommit'> {
  if (known?.[id]?.state === state) return {}
  const fields = { dispute: id, state, pence, paymentIntent, ...about }
  if (state === 'won') return { afterCommit: () => log.info('a dispute was won', fields) }
  return { afterCommit: () => log.warn('a payment is disputed', fields, disputed) }
}

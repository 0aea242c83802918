import { paidIndex, subscriptionOwnerRows } from '#shared/accounts/users/rows.ts'
import { profileKey, type User } from '#shared/accounts/users/user.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Condition, Table, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { webhookParts } from '#shared/signals/outbound-webhooks/emit.ts'
import type { EventContext } from '../context.ts'
import { refundDue } from '../refund-due.ts'
import {
  orderRows,
  type PaymentIntent,
  paymentIntentRows,
  type ProviderSubscription,
  providerSubscriptionRows,
  type SubscriptionState,
} from '../rows.ts'
import { scheduleCancellation } from '../schedule-cancellation.ts'
import { subscriptionEvents } from '../subscription-events.ts'
import type { Decision } from './apply.ts'
import { countPayments, withPaymentAt } from './count-payments.ts'
import { currentPlan, currentStorage, supersedes } from './current.ts'
import { findSubscription, ifSubscriptionUnchanged } from './find-subscription.ts'
import { ifIntentUnchanged, isGivenBack, referralPart } from './grant-credits.ts'
import { mergeSnapshot, ranks } from './merge-snapshot.ts'
import { orderPaidWrite } from './order-paid.ts'
import type { OrderPayment, CheckoutSession } from './payment.ts'

type SubscriptionPayment = OrderPayment & { user: User }

/**
 * Grants the plan or the storage of a paid order, unless a later payment is current. If the user has two subscriptions
 * for the same thing, the one that is not current becomes unwanted.
 */
export async function grantSubscription(
  ctx: EventContext,
  payment: SubscriptionPayment,
): Promise<Decision> {
  const { order, session, user } = payment
  const id = session.subscription
  const row = id === undefined ? undefined : await findSubscription(ctx.table, id)
  const current = currentOf(payment)
  const isAnother = id === undefined || id !== current?.id
  if (!supersedes({ since: since(payment), orderId: order.id }, current))
    return {
      userIds: [user.id],
      parts: {
        order: orderPaidWrite(payment),
        unwanted: isAnother ? scheduleCancellation(user.id, id, row?.seen?.status) : undefined,
        // A refund is due because the payment granted nothing.
        refund:
          isAnother && !payment.isTrial
            ? refundDue(user.id, order.id, { id: session.id })
            : undefined,
      },
    }
  const intent = await findIntent(ctx, session)
  const known = {
    ...(await withPayment(ctx, payment, row)),
    ...returnedOf(payment, row, intent),
  }
  const { before, after } = changeOf(payment, known)
  return {
    userIds: [user.id],
    parts: {
      order: orderPaidWrite(payment),
      referral: await referralOf(ctx, payment, { known, intent }),
      user: userStore(ctx.table, user.id).write.update(profileKey, {
        set: after,
        ...ifUserExists(ifUnchanged(before)),
      }),
      audit: await audit(ctx, 'plan' in after ? 'subscription.changed' : 'storage.changed', {
        userId: user.id,
        target: id ?? order.id,
        before,
        after,
      }),
      ...(await webhookParts(ctx, user.id, subscriptionEvents(after))),
      unwanted: isAnother ? scheduleCancellation(user.id, current?.id, current?.status) : undefined,
      refund: isAnother ? await refundOf(ctx.table, current, payment) : undefined,
      ...(session.payment_intent !== undefined && {
        intent: {
          update: paymentIntentRows.key({ id: session.payment_intent }),
          set: { orderId: order.id },
          remove: ['expiresAt'],
          ...ifIntentUnchanged(intent),
        },
      }),
      ...(id !== undefined && {
        owner: {
          put: subscriptionOwnerRows.put(
            { id, userId: user.id },
            { userId: user.id },
            paidIndex(id),
          ),
        },
        // Makes a concurrent event of the subscription retry, so that it finds the owner.
        subscription: {
          update: providerSubscriptionRows.key({ id }),
          set: { id, ...known },
          add: { named: 1 },
          ...ifSubscriptionUnchanged(row),
        },
      }),
    },
  }
}

/**
 * Schedules the refund of the previous order if both orders were open at the same time: the new order was created
 * before the previous payment was applied. A later order replaces a subscription that had already ended.
 */
async function refundOf(
  table: Table,
  current: Current | undefined,
  { order, user }: SubscriptionPayment,
): Promise<Write | undefined> {
  // A trial, or a plan granted by a trusted caller, has no payment.
  if (current?.orderId === undefined || !current.since) return undefined
  const row = await table.get(orderRows.key({ orderId: current.orderId }))
  const { sessionId, appliedAt = '' } = row === undefined ? {} : orderRows.parse(row)
  if (sessionId === undefined || order.createdAt >= appliedAt) return undefined
  return refundDue(user.id, current.orderId, { id: sessionId })
}

/** Adds the payment to the subscription's state, so that older subscription events have no effect. */
async function withPayment(
  ctx: EventContext,
  { order, session, at, isTrial }: SubscriptionPayment,
  row: ProviderSubscription | undefined,
): Promise<SubscriptionState> {
  const known = {
    ...(row?.seen !== undefined && { seen: row.seen }),
    ...(row?.priced !== undefined && { priced: row.priced }),
    ...(row?.payments !== undefined && { payments: row.payments }),
  }
  const { subscription: id, customer } = session
  if (id === undefined || isTrial) return known
  const paid = { id, status: 'active', customerId: customer ?? null, pence: order.pence } as const
  return {
    ...known,
    ...(await mergeSnapshot(ctx, paid, { position: { at, rank: ranks.paid }, row })),
    payments: withPaymentAt(row?.payments, at),
  }
}

/**
 * Returns the refunds and disputes of a subscription, including the ones that are stored with the session's payment.
 */
function returnedOf(
  { order, session, at }: SubscriptionPayment,
  row: ProviderSubscription | undefined,
  intent: PaymentIntent | undefined,
): SubscriptionState {
  const { payment_intent: id } = session
  const disputes = {
    ...row?.disputes,
    ...Object.fromEntries(
      Object.entries(intent?.disputes ?? {}).map(([key, dispute]) => [
        key,
        { ...dispute, paymentAt: at },
      ]),
    ),
  }
  const isRefunded =
    id !== undefined && isGivenBack(order, { refundedPence: intent?.refundedPence })
  const refunds = { ...row?.refunds, ...(isRefunded && { [id]: at }) }
  return {
    ...(Object.keys(disputes).length > 0 && { disputes }),
    ...(Object.keys(refunds).length > 0 && { refunds }),
  }
}

/** Returns the write that counts the payment for the user's referral; undefined if nothing changes. */
async function referralOf(
  ctx: EventContext,
  { order, session, at, isTrial }: SubscriptionPayment,
  { known, intent }: { known: SubscriptionState; intent: PaymentIntent | undefined },
): Promise<Write | undefined> {
  const { subscription: id } = session
  if (id !== undefined) return countPayments(ctx, order.userId, { id, ...known })
  return isTrial ? undefined : referralPart(ctx, order, { intent, paidAt: at })
}

/** Returns the row of the session's payment, if it exists. The event of a dispute can arrive before the payment's. */
async function findIntent(
  { table }: EventContext,
  { payment_intent: id }: CheckoutSession,
): Promise<PaymentIntent | undefined> {
  const row = id === undefined ? undefined : await table.get(paymentIntentRows.key({ id }))
  return row && paymentIntentRows.parse(row)
}

/** Returns 0 for a trial, so that it never replaces a paid or granted subscription. */
function since({ at, isTrial }: Pick<OrderPayment, 'at' | 'isTrial'>): number {
  return isTrial ? 0 : at
}

/** Prevents the update from recreating a user who was deleted in the meantime. */
function ifUserExists(condition: Required<Condition>): Required<Condition> {
  return { ...condition, if: `attribute_exists(pk) AND ${condition.if}` }
}

interface Current {
  id: string | null
  status: string
  since?: number | undefined
  orderId?: string | undefined
}

function currentOf({ order, user }: SubscriptionPayment): Current | undefined {
  if (order.buys.kind === 'plan') return user.subscription
  return user.storage && { ...user.storage, id: user.storage.subscriptionId }
}

type Attributes = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/**
 * Returns the user's attributes before and after the payment. A trial starts when the provider reports it, because the
 * session alone does not prove a payment.
 */
function changeOf(
  { order, session, user, at, isTrial }: SubscriptionPayment,
  known: SubscriptionState,
): { before: Attributes; after: Attributes } {
  const status = isTrial ? ('inactive' as const) : ('active' as const)
  const paid = { status, since: since({ at, isTrial }), orderId: order.id }
  const subscriptionId = session.subscription ?? null
  if (order.buys.kind === 'plan') {
    const customerId = session.customer ?? user.subscription.customerId
    const subscription = { ...paid, id: subscriptionId, customerId }
    return {
      before: { plan: user.plan, subscription: user.subscription },
      after: currentPlan({ plan: order.buys.plan, subscription }, known),
    }
  }
  const gb = order.buys.kind === 'storage' ? order.buys.gb : 0
  const storage = { ...paid, gb, subscriptionId, customerId: session.customer ?? null }
  return { before: { storage: user.storage }, after: { storage: currentStorage(storage, known) } }
}

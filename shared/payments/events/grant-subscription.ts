import { referralPaid } from '../../accounts/referral.ts'
import { paidIndex, subscriptionOwnerRows } from '../../accounts/rows.ts'
import { profileKey, type User } from '../../accounts/user.ts'
import { audit } from '../../identity/audit.ts'
import { webhookParts } from '../../outbound-webhooks/emit.ts'
import type { Condition, Table, Write } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import { subscriptionEvents } from '../changed.ts'
import type { EventContext } from '../context.ts'
import { refundDue } from '../refund-due.ts'
import {
  orderRows,
  type PaymentIntent,
  paymentIntentRows,
  type ProviderSubscription,
  providerSubscriptionRows,
} from '../rows.ts'
import { unwanted } from '../unwanted.ts'
import type { Decision } from './apply.ts'
import { asRead } from './as-read.ts'
import { planBy, storageBy, takesOver } from './held.ts'
import { orderPaid } from './order-paid.ts'
import type { Payment, Session } from './payment.ts'
import { intentAsRead } from './grant-credits.ts'
import { findSubscription } from './find-subscription.ts'
import { newest, ranks } from './newest.ts'

type SubscriptionPayment = Payment & { user: User }

/**
 * Gives the plan or the storage of a paid order, where no later payment holds already. Of two subscriptions for the same
 * thing the one that does not hold becomes unwanted.
 */
export async function grantSubscription(
  ctx: EventContext,
  payment: SubscriptionPayment,
): Promise<Decision> {
  const { order, session, user } = payment
  const id = session.subscription
  const row = id === undefined ? undefined : await findSubscription(ctx.table, id)
  const held = heldOf(payment)
  const isAnother = id === undefined || id !== held?.id
  if (!takesOver({ since: since(payment), orderId: order.id }, held))
    return {
      userIds: [user.id],
      parts: {
        order: orderPaid(payment),
        unwanted: isAnother ? unwanted(user.id, id, row?.seen?.status) : undefined,
        // It gave nothing.
        refund:
          isAnother && !payment.isTrial
            ? refundDue(user.id, order.id, { id: session.id })
            : undefined,
      },
    }
  const intent = await findIntent(ctx, session)
  const disputes = { ...row?.disputes, ...intent?.disputes }
  const known = {
    ...(await withPayment(ctx, payment, row)),
    ...(Object.keys(disputes).length > 0 && { disputes }),
  }
  const { before, after } = changeOf(payment, known)
  return {
    userIds: [user.id],
    parts: {
      order: orderPaid(payment),
      referral: payment.isTrial ? undefined : await referralPaid(ctx.table, user.id),
      user: userStore(ctx.table, user.id).write.update(profileKey, {
        set: after,
        ...thereAnd(asRead(before)),
      }),
      audit: await audit(ctx, 'plan' in after ? 'subscription.changed' : 'storage.changed', {
        userId: user.id,
        target: id ?? order.id,
        before,
        after,
      }),
      ...(await webhookParts(ctx, user.id, subscriptionEvents(after))),
      unwanted: isAnother ? unwanted(user.id, held?.id, held?.status) : undefined,
      refund: isAnother ? await refundOf(ctx.table, held, payment) : undefined,
      ...(session.payment_intent !== undefined && {
        intent: {
          update: paymentIntentRows.key({ id: session.payment_intent }),
          set: { orderId: order.id },
          remove: ['expiresAt'],
          ...intentAsRead(intent),
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
        // An event of the subscription that comes at the same time is decided again, and finds the owner.
        subscription: {
          update: providerSubscriptionRows.key({ id }),
          set: { id, ...known },
          add: { named: 1 },
          ...asRead({ seen: row?.seen, priced: row?.priced, disputes: row?.disputes }),
        },
      }),
    },
  }
}

/**
 * That what held until now is paid back, where both were open at once: the one that takes its place was ordered before we
 * knew of its payment. What is ordered later takes the place of what is over.
 */
async function refundOf(
  table: Table,
  held: Held | undefined,
  { order, user }: SubscriptionPayment,
): Promise<Write | undefined> {
  // Nothing was paid for a trial, nor for what a trusted caller gave.
  if (held?.orderId === undefined || !held.since) return undefined
  const row = await table.get(orderRows.key({ orderId: held.orderId }))
  const { sessionId, appliedAt = '' } = row === undefined ? {} : orderRows.parse(row)
  if (sessionId === undefined || order.createdAt >= appliedAt) return undefined
  return refundDue(user.id, held.orderId, { id: sessionId })
}

type Known = Pick<ProviderSubscription, 'seen' | 'priced' | 'disputes'>

/** That it was paid is a word about the subscription as well: older events of it move nothing any more. */
async function withPayment(
  ctx: EventContext,
  { order, session, at, isTrial }: SubscriptionPayment,
  row: ProviderSubscription | undefined,
): Promise<Known> {
  const known = {
    ...(row?.seen !== undefined && { seen: row.seen }),
    ...(row?.priced !== undefined && { priced: row.priced }),
  }
  const { subscription: id, customer } = session
  if (id === undefined || isTrial) return known
  const paid = { id, status: 'active', customerId: customer ?? null, pence: order.pence } as const
  return (await newest(ctx, paid, { place: { at, rank: ranks.paid }, row })) ?? known
}

/** Returns the row of the session's payment, if it exists. The event of a dispute can arrive before the payment's. */
async function findIntent(
  { table }: EventContext,
  { payment_intent: id }: Session,
): Promise<PaymentIntent | undefined> {
  const row = id === undefined ? undefined : await table.get(paymentIntentRows.key({ id }))
  return row && paymentIntentRows.parse(row)
}

/** A trial takes the place of nothing that was paid or given, whenever it came. */
function since({ at, isTrial }: Pick<Payment, 'at' | 'isTrial'>): number {
  return isTrial ? 0 : at
}

/** No user comes back who goes while their payment is applied. */
function thereAnd(condition: Required<Condition>): Required<Condition> {
  return { ...condition, if: `attribute_exists(pk) AND ${condition.if}` }
}

interface Held {
  id: string | null
  status: string
  since?: number | undefined
  orderId?: string | undefined
}

function heldOf({ order, user }: SubscriptionPayment): Held | undefined {
  if (order.buys.kind === 'plan') return user.subscription
  return user.storage && { ...user.storage, id: user.storage.subscriptionId }
}

type Attributes = Partial<Pick<User, 'plan' | 'subscription' | 'storage'>>

/** What of the user changes. A trial opens once the provider says that it runs: the session alone proves no payment. */
function changeOf(
  { order, session, user, at, isTrial }: SubscriptionPayment,
  known: Known,
): { before: Attributes; after: Attributes } {
  const status = isTrial ? ('inactive' as const) : ('active' as const)
  const paid = { status, since: since({ at, isTrial }), orderId: order.id }
  const subscriptionId = session.subscription ?? null
  if (order.buys.kind === 'plan') {
    const customerId = session.customer ?? user.subscription.customerId
    const subscription = { ...paid, id: subscriptionId, customerId }
    return {
      before: { plan: user.plan, subscription: user.subscription },
      after: planBy({ plan: order.buys.plan, subscription }, known),
    }
  }
  const gb = order.buys.kind === 'storage' ? order.buys.gb : 0
  const storage = { ...paid, gb, subscriptionId, customerId: session.customer ?? null }
  return { before: { storage: user.storage }, after: { storage: storageBy(storage, known) } }
}

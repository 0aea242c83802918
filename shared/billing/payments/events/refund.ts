import * as z from 'zod'
import { findUser } from '#shared/accounts/users/user.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { EventContext } from '../context.ts'
import { expiry } from '../order.ts'
import { ownersOf } from '../owners.ts'
import {
  type Order,
  orderRows,
  type PaymentIntent,
  paymentIntentRows,
  providerSubscriptionRows,
} from '../rows.ts'
import type { Decision } from './apply.ts'
import { countPaymentsOf } from './count-payments.ts'
import type { PaymentEvent } from './event.ts'
import { expandableId } from './expandable-id.ts'
import { hasIntent, findNamedOrder } from './find-order.ts'
import { findSubscription, ifSubscriptionUnchanged } from './find-subscription.ts'
import { ifIntentUnchanged, isGivenBack, moveCredits, referralPart } from './grant-credits.ts'

const charge = z.object({
  payment_intent: expandableId,
  amount: z.int().optional().catch(undefined),
  amount_refunded: z.int(),
  /** Epoch seconds. */
  created: z.int().optional().catch(undefined),
  customer: expandableId,
})

/** Decides the effect of a refund: withdraws the refunded share of a pack's credits, as far as the balance allows. */
export async function decideRefund(
  ctx: EventContext,
  { id: eventId, data }: PaymentEvent,
): Promise<Decision | undefined> {
  const { table, log } = ctx
  const parsed = charge.safeParse(data.object)
  const id = parsed.data?.payment_intent
  if (!parsed.success || id === undefined) return undefined
  const refundedPence = parsed.data.amount_refunded
  const known = await paymentIntentRows.find(table, { id })
  const intent = paymentIntentRows.key({ id })
  const adopted =
    known?.orderId === undefined
      ? await findNamedOrder(table, data.object, {
          customerId: parsed.data.customer,
          has: hasIntent,
        })
      : undefined
  // Applies a refund that was stored before its order was known.
  const before = adopted === undefined ? known : undefined
  // The amount is the total of all refunds so far, so a smaller amount comes from an older event.
  if (refundedPence <= (before?.refundedPence ?? 0)) return undefined
  const read = ifIntentUnchanged(known)
  const orderPart = adopted && {
    update: orderRows.key({ orderId: adopted.id }),
    set: { paymentIntent: id },
    ...ifUnchanged({ state: adopted.state, paymentIntent: undefined }),
  }
  const orderId = known?.orderId ?? (adopted?.state === 'paid' ? adopted.id : undefined)
  if (orderId === undefined) {
    // The event of the payment may arrive later and must find this refund.
    const set = { refundedPence, expiresAt: expiry() }
    const ofPayment =
      adopted === undefined ? await ofInvoice(ctx, { ...parsed.data, id }) : undefined
    return {
      userIds: ofPayment?.userIds ?? [],
      parts: { intent: { update: intent, set, ...read }, order: orderPart, ...ofPayment?.parts },
    }
  }
  const row = adopted === undefined ? await table.get(orderRows.key({ orderId })) : undefined
  const order = adopted ?? (row && orderRows.parse(row))
  const user = order && (await findUser(table, order.userId))
  if (order === undefined || user === undefined) {
    log.warn('a deleted user received a refund', { eventId, orderId })
    return undefined
  }
  const after = { ...known, refundedPence }
  const moved = await moveCredits(ctx, { order, user, before, after })
  const { missing } = moved
  if (missing > 0)
    log.warn(
      'refunded credits were already used',
      { eventId, orderId, userId: user.id, missing },
      { by: [['function']], of: { RefundedCreditsUsed: [1, 'Count'] } },
    )
  const ofPayment = await ofOrder(ctx, order, { id, intent: after })
  return {
    userIds: [...new Set([user.id, ...ofPayment.userIds])],
    parts: {
      intent: {
        update: intent,
        set: { refundedPence, orderId, ...moved.set },
        remove: ['expiresAt'],
        ...read,
      },
      order: orderPart,
      ...ofPayment.parts,
      ...moved.parts,
    },
  }
}

/**
 * Decides the effect on referrals of refunding an invoice's payment, which has no order.
 * @throws PlatformError 502 if the provider cannot name the payment's subscription
 */
async function ofInvoice(
  ctx: EventContext,
  {
    id: intent,
    amount,
    amount_refunded: refunded,
    created,
  }: z.output<typeof charge> & { id: string },
): Promise<Decision | undefined> {
  if (amount === undefined || 2 * refunded < amount) return undefined
  const id = (await ctx.provider?.findPayment(intent))?.subscriptionId
  return id === undefined ? undefined : ofSubscription(ctx, id, { intent, madeAt: created })
}

/** Decides the effect on referrals of refunding an order's payment. */
async function ofOrder(
  ctx: EventContext,
  order: Order,
  { id, intent }: { id: string; intent: PaymentIntent },
): Promise<Decision> {
  const { subscriptionId, paidAt: madeAt } = order
  if (subscriptionId === undefined)
    return { userIds: [], parts: { referral: await referralPart(ctx, order, { intent }) } }
  if (!isGivenBack(order, { refundedPence: intent.refundedPence }))
    return { userIds: [], parts: {} }
  return ofSubscription(ctx, subscriptionId, { intent: id, madeAt })
}

/**
 * Stores the refund of a subscription's payment, because the payment itself may be reported later, and decides whether
 * the subscription still counts for referrals.
 * @param refunded the payment intent, and when the payment was made, in epoch seconds
 */
async function ofSubscription(
  ctx: EventContext,
  id: string,
  { intent, madeAt = null }: { intent: string; madeAt: number | null | undefined },
): Promise<Decision> {
  const row = await findSubscription(ctx.table, id)
  const refunds = { ...row?.refunds, [intent]: madeAt }
  const users = await ownersOf(ctx.table, id)
  const counted = await countPaymentsOf(ctx, users, { id, ...row, refunds })
  return {
    userIds: counted.userIds,
    parts: {
      subscription: {
        update: providerSubscriptionRows.key({ id }),
        set: { id, refunds },
        add: { named: 0 },
        ...ifSubscriptionUnchanged(row),
      },
      ...counted.parts,
    },
  }
}

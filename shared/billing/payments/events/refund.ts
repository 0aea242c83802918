import * as z from 'zod'
import { findUser } from '#shared/accounts/users/user.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import type { EventContext } from '../context.ts'
import { expiry } from '../order.ts'
import { ownersOf } from '../owners.ts'
import { orderRows, paymentIntentRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import { referralsOf } from './dispute.ts'
import type { PaymentEvent } from './event.ts'
import { expandableId } from './expandable-id.ts'
import { hasIntent, findNamedOrder } from './find-order.ts'
import { ifIntentUnchanged, moveCredits, referralPart } from './grant-credits.ts'
import { ifUnchanged } from './if-unchanged.ts'

const charge = z.object({
  payment_intent: expandableId,
  amount: z.number().optional().catch(undefined),
  amount_refunded: z.number(),
  /** Epoch seconds. */
  created: z.number().optional().catch(undefined),
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
  // A refund that was stored before its order was known is applied to the order now.
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
    // The event of the payment may come later and must find this refund.
    const set = { refundedPence, expiresAt: expiry() }
    const referrals = adopted === undefined ? await ofInvoice(ctx, { ...parsed.data, id }) : []
    return {
      userIds: referrals.map(({ userId }) => userId),
      parts: {
        intent: { update: intent, set, ...read },
        order: orderPart,
        ...numbered(
          'referral',
          referrals.map(({ write }) => write),
        ),
      },
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
  return {
    userIds: [user.id],
    parts: {
      intent: {
        update: intent,
        set: { refundedPence, orderId, ...moved.set },
        remove: ['expiresAt'],
        ...read,
      },
      order: orderPart,
      referral: await referralPart(ctx, order, after),
      ...moved.parts,
    },
  }
}

/**
 * Returns the writes for a refunded payment of a subscription's invoice, which no order names: it no longer counts for a
 * referral.
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
) {
  if (amount === undefined || 2 * refunded < amount) return []
  const id = (await ctx.provider?.findPayment(intent))?.subscriptionId
  if (id === undefined) return []
  const users = await ownersOf(ctx.table, id)
  return referralsOf(ctx, users, { id, voided: true, refunded: true, createdAt: created })
}

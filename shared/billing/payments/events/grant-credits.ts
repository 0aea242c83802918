import { findReferral, referralPaid } from '#shared/accounts/users/referral-payment.ts'
import { profileKey, type User } from '#shared/accounts/users/user.ts'
import { toMicroUsd } from '#shared/money/ledger/credit.ts'
import { postCredits } from '#shared/money/ledger/post.ts'
import { audit } from '#shared/platform/identity/audit.ts'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Condition } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { EventContext } from '../context.ts'
import { type Order, paymentIntentRows, type PaymentIntent } from '../rows.ts'
import type { Decision } from './apply.ts'
import { disputedPence } from './disputes.ts'
import { orderPaidWrite } from './order-paid.ts'
import type { OrderPayment } from './payment.ts'

/** Returns the value of an order's credits in millionths of a US dollar. */
function boughtMicroUsd({ buys }: Order): number {
  return buys.kind === 'credits' ? toMicroUsd(buys.credits) : 0
}

type Intent = Pick<PaymentIntent, 'refundedPence' | 'disputes' | 'takenMicroUsd'>

/**
 * Returns the credits of an order that the buyer owes back, in millionths of a US dollar: the share of the price that
 * was refunded, is disputed or was lost in a dispute.
 */
function owedMicroUsd(order: Order, { refundedPence = 0, disputes }: Intent = {}): number {
  const pence = Math.min(refundedPence + disputedPence(disputes, order.pence), order.pence)
  return Math.floor((boughtMicroUsd(order) * pence) / order.pence)
}

/** True if at least half of a payment was refunded, is disputed or was lost in a dispute. */
export function isGivenBack(order: Order, { refundedPence = 0, disputes }: Intent = {}): boolean {
  return 2 * (refundedPence + disputedPence(disputes, order.pence)) >= order.pence
}

/**
 * Returns the part that records whether an order's payment counts for a referral; undefined if nothing changes.
 * @param paidAt epoch seconds
 */
export async function referralPart(
  { table }: EventContext,
  order: Order,
  { intent, paidAt = order.paidAt }: { intent: Intent | undefined; paidAt?: number },
) {
  const { id: by, userId } = order
  const counts = paidAt !== undefined && !isGivenBack(order, intent)
  const referral = await findReferral(table, userId)
  return referralPaid(referral, { userId, by, paidAt: counts ? paidAt : undefined })
}

/** The condition that a payment has not changed since it was read. */
export function ifIntentUnchanged(intent: PaymentIntent | undefined): Required<Condition> {
  const { refundedPence, disputes, takenMicroUsd, orderId } = intent ?? {}
  return ifUnchanged({ refundedPence, disputes, takenMicroUsd, orderId })
}

/** Grants the credits of a paid order, without the part that refunds and disputes have withdrawn. */
export async function grantCredits(
  ctx: EventContext,
  payment: OrderPayment & { user: User },
): Promise<Decision> {
  const { order, session, user } = payment
  const { id: userId } = user
  const id = session.payment_intent
  const found = id === undefined ? undefined : await ctx.table.get(paymentIntentRows.key({ id }))
  const intent = found && paymentIntentRows.parse(found)
  const owed = owedMicroUsd(order, intent)
  const microUsd = boughtMicroUsd(order) - owed
  const grant = { microUsd, reason: 'grant', ref: order.id } as const
  return {
    userIds: [userId],
    parts: {
      order: orderPaidWrite(payment),
      ...(id !== undefined && {
        intent: {
          update: paymentIntentRows.key({ id }),
          set: { orderId: order.id, takenMicroUsd: owed },
          remove: ['expiresAt'],
          ...ifIntentUnchanged(intent),
        },
      }),
      ...(microUsd > 0 && (await posted(ctx, user, grant))),
      referral: await referralPart(ctx, order, { intent, paidAt: payment.at }),
    },
  }
}

/**
 * Withdraws or returns an order's credits after a refund or a dispute. If the buyer owes more, credits are withdrawn as
 * far as the balance allows. If the buyer owes less, credits that were withdrawn in excess are returned: a won dispute
 * returns the credits that it withdrew, but not the credits that were already spent.
 * @param moved `before`: the payment at the last withdrawal or return; absent if no credits were withdrawn
 */
export async function moveCredits(
  ctx: EventContext,
  moved: { order: Order; user: User; before: Intent | undefined; after: Intent },
) {
  const { order, user, before, after } = moved
  const [owedBefore, owed] = [owedMicroUsd(order, before), owedMicroUsd(order, after)]
  const taken = before?.takenMicroUsd ?? owedBefore
  const remaining = Math.max(0, user.creditMicroUsd)
  const change =
    owed > owedBefore ? Math.min(owed - owedBefore, remaining) : Math.min(0, owed - taken)
  const posting = { microUsd: -change, reason: 'refund', ref: order.id } as const
  return {
    /** The credits that cannot be withdrawn because they are already spent. */
    missing: Math.max(0, owed - owedBefore - Math.max(0, change)),
    set: { takenMicroUsd: taken + change },
    parts: change === 0 ? {} : await posted(ctx, user, posting),
  }
}

/** Returns the parts of a transaction that posts credits of a payment, with their audit entry. */
async function posted(
  ctx: EventContext,
  user: User,
  entry: { microUsd: number; reason: 'grant' | 'refund'; ref: string },
) {
  const { id: userId, creditMicroUsd } = user
  const { account, balance, posting, once } = postCredits(userId, user, entry)
  return {
    user: userStore(ctx.table, userId).write.update(profileKey, balance),
    posting,
    // An order can be refunded in several parts, but is granted once.
    ...(entry.reason === 'grant' && { once }),
    audit: await audit(ctx, 'credits.granted', {
      userId,
      target: entry.ref,
      before: { creditMicroUsd },
      after: { creditMicroUsd: account.creditMicroUsd },
    }),
  }
}

import { profileKey, type User } from '../../accounts/user.ts'
import { audit } from '../../identity/audit.ts'
import { toMicroUsd } from '../../ledger/credit.ts'
import { postCredits } from '../../ledger/post.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { EventContext } from '../context.ts'
import { type Order, paymentIntentRows } from '../rows.ts'
import type { Decision } from './apply.ts'
import { asRead } from './as-read.ts'
import { orderPaid } from './order-paid.ts'
import type { Payment } from './payment.ts'

/** What an order's credits are worth in millionths of a US dollar. */
function boughtMicroUsd({ buys }: Order): number {
  return buys.kind === 'credits' ? toMicroUsd(buys.credits) : 0
}

/** How much of an order's credits is given back where so many pence of its price were, in millionths of a US dollar. */
export function refundedMicroUsd(order: Order, refundedPence = 0): number {
  const pence = Math.min(refundedPence, order.pence)
  return Math.floor((boughtMicroUsd(order) * pence) / order.pence)
}

/** Gives the credits of a paid order, but for those of its price that was paid back already. */
export async function grantCredits(
  ctx: EventContext,
  payment: Payment & { user: User },
): Promise<Decision> {
  const { order, session, user } = payment
  const { id: userId } = user
  const id = session.payment_intent
  const found = id === undefined ? undefined : await ctx.table.get(paymentIntentRows.key({ id }))
  const intent = found && paymentIntentRows.parse(found)
  const microUsd = boughtMicroUsd(order) - refundedMicroUsd(order, intent?.refundedPence)
  const grant = { microUsd, reason: 'grant', ref: order.id } as const
  return {
    userIds: [userId],
    parts: {
      order: orderPaid(payment),
      ...(id !== undefined && {
        intent: {
          update: paymentIntentRows.key({ id }),
          set: { orderId: order.id },
          remove: ['expiresAt'],
          ...asRead({ refundedPence: intent?.refundedPence }),
        },
      }),
      ...(microUsd > 0 && (await posted(ctx, user, grant))),
    },
  }
}

/** The parts of a transaction that posts credits by a payment, with their entry in the audit. */
export async function posted(
  ctx: EventContext,
  user: User,
  given: { microUsd: number; reason: 'grant' | 'refund'; ref: string },
) {
  const { id: userId, creditMicroUsd } = user
  const { account, balance, posting, once } = postCredits(userId, user, given)
  return {
    user: userStore(ctx.table, userId).write.update(profileKey, balance),
    posting,
    // An order is refunded in any number of parts, and granted once.
    ...(given.reason === 'grant' && { once }),
    audit: await audit(ctx, 'credits.granted', {
      userId,
      target: given.ref,
      before: { creditMicroUsd },
      after: { creditMicroUsd: account.creditMicroUsd },
    }),
  }
}

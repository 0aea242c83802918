import {
  findReferral,
  type Referral,
  referralPaid,
} from '#shared/accounts/users/referral-payment.ts'
import type { User } from '#shared/accounts/users/user.ts'
import { numbered, type Parts } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { EventContext } from '../context.ts'
import type { ProviderSubscription, SubscriptionState } from '../rows.ts'
import { maxUsers } from './account-writes.ts'
import { isWithheld } from './disputes.ts'

/**
 * The range of seconds between a payment and the event that reports it: a bank debit is confirmed up to two weeks
 * later, and the provider's clock differs by less than a day. The next invoice is sent a month later.
 */
const reported = { latest: 20 * 86_400, earliest: -86_400 }

/** Adds a payment of a subscription to its known ones. @param at epoch seconds */
export function withPaymentAt(known: readonly number[] = [], at: number): number[] {
  return [...new Set([...known, at])].sort((a, b) => a - b)
}

/** Returns the time of the first payment that is neither refunded nor disputed; undefined without such a payment. */
function standingPayment({ payments = [], refunds, disputes }: SubscriptionState) {
  const returned = [
    ...Object.values(refunds ?? {}),
    ...Object.values(disputes ?? {})
      .filter(isWithheld)
      .map(({ paymentAt }) => paymentAt ?? null),
  ]
  const isOf = (paidAt: number, madeAt: number | null) =>
    madeAt === null || (paidAt - madeAt <= reported.latest && paidAt - madeAt >= reported.earliest)
  return payments.find((at) => !returned.some((madeAt) => isOf(at, madeAt)))
}

type Counted = Pick<ProviderSubscription, 'id' | 'payer'> & SubscriptionState

/**
 * Returns the write that records whether a subscription counts for its user's referral; undefined if nothing changes.
 */
export async function countPayments(
  { table }: Pick<EventContext, 'table'>,
  userId: string,
  { id, payments = [], ...state }: Counted,
  replaces?: string,
): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  const all = [...recorded(referral, id), ...payments]
  const paidAt = standingPayment({ ...state, payments: all })
  return referralPaid(referral, { userId, by: id, replaces, paidAt })
}

/**
 * Records for all users of a subscription, or for the payer if it has no users yet, whether it counts for their
 * referrals. Returns the parts of the transaction and the users whose referrals change.
 */
export async function countPaymentsOf(
  ctx: Pick<EventContext, 'table'>,
  users: readonly Pick<User, 'id'>[],
  subscription: Counted,
): Promise<{ userIds: string[]; parts: Parts }> {
  const { payer } = subscription
  const payers = users.length === 0 && payer !== undefined ? [{ id: payer }] : users
  const all = await Promise.all(
    payers.slice(0, maxUsers).map(async ({ id: userId }) => ({
      userId,
      write: await countPayments(ctx, userId, subscription),
    })),
  )
  const changes = all.flatMap(({ userId, write }) => (write ? [{ userId, write }] : []))
  return {
    userIds: changes.map(({ userId }) => userId),
    parts: numbered(
      'referral',
      changes.map(({ write }) => write),
    ),
  }
}

/** Returns the payment that the last release recorded only in the referral. */
function recorded(referral: Referral | undefined, id: string): number[] {
  const { paidAt, paidBy, refunded } = referral ?? {}
  if (paidAt === undefined || paidBy !== id || refunded === true) return []
  return [epochSeconds(Date.parse(paidAt))]
}

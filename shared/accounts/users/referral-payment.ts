import type { Table, Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { referredRows } from './rows.ts'

/**
 * Longer than the difference between the clocks of platform and provider, and shorter than the time to the next
 * invoice.
 */
const latestMs = 86_400_000

export type Referral = ReturnType<typeof referredRows.parse>

export async function findReferral(table: Table, userId: string): Promise<Referral | undefined> {
  return referredRows.find(table, { userId })
}

/**
 * Returns the part of a payment's transaction which records that a referred user has paid; undefined if there is
 * nothing to record. The transaction must also contain entitlementsDue of the user, whose job calls settleReferral.
 * @param paidBy the id of the subscription or the order that was paid
 */
export async function referralPaid(
  table: Table,
  { userId, paidBy }: { userId: string; paidBy: string },
  now = Date.now(),
): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  if (referral === undefined || (referral.paidAt !== undefined && !isOpenAndVoid(referral)))
    return undefined
  return {
    update: referredRows.key({ userId }),
    set: { paidAt: isoOf(now), paidBy },
    remove: ['voidedAt', 'refunded'],
    if: 'attribute_exists(pk) AND (attribute_not_exists(#paidAt) OR attribute_exists(#voidedAt)) AND #state = :open',
    values: { open: 'open' },
  }
}

/** A payment, and whether it still counts for the referral of its user. */
export interface VoidedPayment {
  userId: string
  /** The ids of the subscription and the order of the payment. */
  by: readonly (string | undefined)[]
  /** It was refunded or is disputed. */
  voided: boolean
  /** It was refunded: nothing makes it count again. */
  refunded?: boolean
  /** When the payment was made, in epoch seconds; without it, it is the payment that counts. */
  createdAt?: number | undefined
}

/**
 * Returns the part of a transaction that records whether the payment which counts for a referral was refunded or is
 * disputed; undefined if nothing changes. The transaction must also contain entitlementsDue of the user.
 */
export async function referralVoided(
  table: Table,
  { userId, by, voided, refunded = false, createdAt }: VoidedPayment,
  now = Date.now(),
): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  const paidBy = referral?.paidBy
  if (paidBy === undefined || !by.includes(paidBy)) return undefined
  const isVoid = referral?.voidedAt !== undefined
  if (referral?.refunded === true || (isVoid === voided && !refunded)) return undefined
  const paidAt = Date.parse(referral?.paidAt ?? '')
  if (createdAt !== undefined && createdAt * 1000 > paidAt + latestMs) return undefined
  return {
    update: referredRows.key({ userId }),
    ...(voided
      ? { set: { voidedAt: isoOf(now), ...(refunded && { refunded }) } }
      : { remove: ['voidedAt'] }),
    if: `#paidBy = :paidBy AND attribute_${isVoid ? '' : 'not_'}exists(#voidedAt) AND attribute_not_exists(#refunded)`,
    values: { paidBy },
  }
}

/** A later payment may count instead. */
function isOpenAndVoid({ state, voidedAt }: Referral): boolean {
  return state === 'open' && voidedAt !== undefined
}

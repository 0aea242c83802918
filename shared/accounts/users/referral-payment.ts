import { isDeepStrictEqual } from 'node:util'
import { ifUnchanged } from '#shared/platform/table/if-unchanged.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { referredRows } from './rows.ts'

/** The maximum number of payments in a referral's row; further payments are ignored. */
const maxStanding = 100

export type Referral = ReturnType<typeof referredRows.parse>

export async function findReferral(table: Table, userId: string): Promise<Referral | undefined> {
  return referredRows.find(table, { userId })
}

export interface ReferralPayment {
  userId: string
  /** The id of the subscription or the order. */
  by: string
  /** An earlier id of the same payment. */
  replaces?: string | undefined
  /** Epoch seconds of a payment that was not refunded; undefined without such a payment. */
  paidAt: number | undefined
}

/**
 * Returns the part of a transaction that records whether a subscription or an order counts for the referral of its
 * user; undefined if nothing changes. A referral is earned while at least one of them counts, so the order of events
 * does not matter. The transaction must also contain entitlementsDue of the user, whose job calls settleReferral.
 */
export function referralPaid(
  referral: Referral | undefined,
  { userId, by, replaces, paidAt }: ReferralPayment,
  now = Date.now(),
): Write | undefined {
  if (referral === undefined) return undefined
  // An earlier release recorded the payment without its id: it always counts.
  if (referral.paidAt !== undefined && referral.paidBy === undefined) return undefined
  const before = standingOf(referral)
  const others = before.filter((id) => id !== by && id !== replaces)
  const standing = paidAt === undefined ? others : [...others, by].sort()
  if (isDeepStrictEqual(standing, before) || standing.length > maxStanding) return undefined
  const isFirst = before.length === 0 && paidAt !== undefined
  return {
    update: referredRows.key({ userId }),
    set: {
      standing,
      ...(isFirst && { paidAt: isoOf(paidAt * 1000), paidBy: by }),
      ...(standing.length === 0 && { voidedAt: isoOf(now) }),
    },
    ...(standing.length > 0 && { remove: ['voidedAt', 'refunded'] }),
    ...ifUnchanged({
      referrerId: referral.referrerId,
      standing: referral.standing,
      paidAt: referral.paidAt,
      paidBy: referral.paidBy,
      voidedAt: referral.voidedAt,
    }),
  }
}

/** The last release writes only `paidBy` and `voidedAt`. */
function standingOf({ standing = [], paidBy, voidedAt }: Referral): string[] {
  if (voidedAt !== undefined) return []
  return standing.length === 0 && paidBy !== undefined ? [paidBy] : standing
}

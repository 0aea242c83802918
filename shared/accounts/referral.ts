import { entitlementsDue } from '../entitlements/due.ts'
import { audit, type AuditContext } from '../identity/audit.ts'
import { toMicroUsd } from '../ledger/credit.ts'
import { postCredits } from '../ledger/post.ts'
import { PlatformError } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Parts } from '../platform/table/commit.ts'
import type { Table, Write } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { referralRows, referredRows, userRows } from './rows.ts'
import { findUser, isDeleted, profileKey, toUser, type User } from './user.ts'

/** Credits for each side of a referral: contract.md 2. */
const referralCredits = 10

/** The most credited referrals of a referrer in a calendar year: docs/billing.md. */
const mostCredited = 100

/** Without 0, 1, I and O, which people confuse; 32 letters, so that a byte selects one without bias. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Creates a referral code: 8 characters, 40 random bits. */
export function newReferralCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
}

/**
 * The parts of the transaction that creates a user who registered with a referral code. They post no credits:
 * settleReferral does. A refusal of `referrer` means that the code no longer has a user.
 * @throws PlatformError 400 for an unknown code
 */
export async function referralParts(
  table: Table,
  { code, userId }: { code: string; userId: string },
) {
  const row = await table.get(referralRows.key({ code }))
  if (row === undefined) throw unknownReferral()
  const { userId: referrerId } = referralRows.parse(row)
  return {
    referral: { put: referredRows.put({ userId }, { referrerId, state: 'open' }) },
    referrer: {
      update: userRows.key({ userId: referrerId }),
      add: { referralCount: 1 },
      if: 'attribute_exists(pk)',
    },
  } satisfies Parts
}

export function unknownReferral(): PlatformError {
  return new PlatformError('bad-request', 'referralCode is not known')
}

/**
 * Returns the part of a payment's transaction which records that a referred user has paid; undefined if there is
 * nothing to record. The transaction must also contain entitlementsDue of the user, whose job calls settleReferral.
 */
export async function referralPaid(
  table: Table,
  userId: string,
  now = Date.now(),
): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  if (referral === undefined || referral.paidAt !== undefined) return undefined
  return {
    update: referredRows.key({ userId }),
    set: { paidAt: new Date(now).toISOString() },
    if: 'attribute_exists(pk) AND attribute_not_exists(#paidAt)',
  }
}

/**
 * Returns the part of the transaction that verifies a user's address: a schedule settles the referral if the
 * process dies before it calls settleReferral. Undefined if no referral is open.
 */
export async function referralDue(table: Table, userId: string): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  return referral?.state === 'open' ? entitlementsDue(userId) : undefined
}

/**
 * Credits a referred user and the owner of the code once the user has verified their address and paid. Both postings and
 * the referral's new state are one transaction, so repeated and concurrent calls post once. The owner of the code is
 * credited for at most 100 users in a calendar year, and not after they deleted their account.
 */
export async function settleReferral(
  ctx: AuditContext,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<void> {
  const { table } = ctx
  const first = await findReferral(table, userId)
  if (first === undefined || !isPayable(first)) return
  await changeItem(
    // The transaction has rows of two users.
    { table, key: userRows.key({ userId }) },
    async (item) => {
      const referral = await findReferral(table, userId)
      const user = item && toUser(item)
      if (referral === undefined || !isPayable(referral)) return undefined
      if (user === undefined || isDeleted(user) || !user.emailVerified) return undefined
      const own = await posted(ctx, { user, by: userId, now })
      const { balance } = own
      return {
        update: {
          ...balance,
          if: `${balance.if} AND #emailVerified = :verified`,
          values: { ...balance.values, verified: true },
        },
        also: {
          referral: {
            update: referredRows.key({ userId }),
            set: { state: 'settled' },
            if: '#state = :open',
            values: { open: 'open' },
          },
          posting: own.posting,
          audit: own.entry,
          ...(await referrerParts(ctx, { userId, referrerId: referral.referrerId, now })),
        },
      }
    },
    { again: ['referral', 'referrer', 'referrerPosting'] },
  )
}

type Referral = ReturnType<typeof referredRows.parse>

async function findReferral(table: Table, userId: string): Promise<Referral | undefined> {
  const row = await table.get(referredRows.key({ userId }))
  return row && referredRows.parse(row)
}

function isPayable({ state, paidAt }: Referral): boolean {
  return state === 'open' && paidAt !== undefined
}

async function referrerParts(
  ctx: AuditContext,
  { userId, referrerId, now }: { userId: string; referrerId: string; now: number },
) {
  const user = await findUser(ctx.table, referrerId)
  if (user === undefined || isDeleted(user)) return {}
  const creditedReferrals = creditedInYear(user, new Date(now).getUTCFullYear())
  if (creditedReferrals.count > mostCredited) return {}
  // The number of postings is the condition, and each credited referral is a posting: the count cannot pass the limit.
  const { balance, posting, entry } = await posted(ctx, { user, by: userId, now })
  const set = { ...balance.set, creditedReferrals }
  return {
    referrer: userStore(ctx.table, referrerId).write.update(profileKey, { ...balance, set }),
    referrerPosting: posting,
    referrerAudit: entry,
  }
}

/** Returns the writes that credit one user for a referral, with the audit entry. @param by the referred user */
async function posted(
  ctx: AuditContext,
  { user, by, now }: { user: User; by: string; now: number },
) {
  const microUsd = toMicroUsd(referralCredits)
  const credit = { microUsd, reason: 'referral', ref: by } as const
  const { account, balance, posting } = postCredits(user.id, user, credit, now)
  const entry = await audit(ctx, 'credits.granted', {
    userId: user.id,
    by,
    target: by,
    before: { creditMicroUsd: user.creditMicroUsd },
    after: { creditMicroUsd: account.creditMicroUsd },
  })
  return { balance, posting, entry }
}

/** Returns the year's count of credited referrals, plus one. */
function creditedInYear({ creditedReferrals: before }: User, year: number) {
  return { year, count: before?.year === year ? before.count + 1 : 1 }
}

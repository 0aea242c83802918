import { toMicroUsd } from '#shared/money/ledger/credit.ts'
import { postCredits } from '#shared/money/ledger/post.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import type { Table, Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { entitlementsDue } from '../entitlements/due.ts'
import { findReferral, type Referral } from './referral-payment.ts'
import { referralRows, referredRows, userRows } from './rows.ts'
import { findUser, isDeleted, profileKey, toUser, type User } from './user.ts'

/** The credits for each of the two users of a referral: contract.md 2. */
const referralMicroUsd = toMicroUsd(10)

/** The maximum number of referrals that a referrer is credited for in a calendar year: docs/use/billing.md. */
const maxCredited = 100

/** Without 0, 1, I and O, which people confuse; 32 letters, so that a byte selects one without bias. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Creates a referral code: 8 characters, 40 random bits. */
export function newReferralCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
}

/**
 * The parts of the transaction that creates a user who registered with a referral code. They post no credits:
 * settleReferral posts them. A refusal of `referrer` means that the code's user no longer exists.
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
 * Returns the part of the transaction that verifies a user's address: a schedule settles the referral if the
 * process dies before it calls settleReferral. Undefined if no referral is open.
 */
export async function referralDue(table: Table, userId: string): Promise<Write | undefined> {
  const referral = await findReferral(table, userId)
  return referral?.state === 'open' ? entitlementsDue(userId) : undefined
}

/** Posts or withdraws the credits of a referral, depending on its payments. Safe to repeat. */
export async function settleReferral(
  ctx: AuditContext,
  { userId }: { userId: string },
  now = Date.now(),
): Promise<void> {
  const referral = await findReferral(ctx.table, userId)
  if (referral === undefined) return
  if (isPayable(referral)) await creditBoth(ctx, userId, now)
  else if (isToMove(referral)) await moveCredits(ctx, userId, now)
}

/**
 * Credits a referred user and the owner of the code once the user has verified their address and paid. Both postings
 * and the referral's new state are one transaction, so repeated and concurrent calls post once. The owner of the code
 * is credited for at most 100 users in a calendar year, and not after they deleted their account.
 */
async function creditBoth(ctx: AuditContext, userId: string, now: number): Promise<void> {
  const { table } = ctx
  await changeItem(
    // The transaction has rows of two users.
    { table, key: userRows.key({ userId }) },
    async (item) => {
      const referral = await findReferral(table, userId)
      const user = item && toUser(item)
      if (referral === undefined || !isPayable(referral)) return undefined
      if (user === undefined || isDeleted(user) || !user.emailVerified) return undefined
      const own = await posted(ctx, { user, by: userId, now, microUsd: referralMicroUsd })
      const { balance } = own
      const { referrerId } = referral
      const referrer = await referrerParts(ctx, { userId, referrerId, now })
      return {
        update: {
          ...balance,
          if: `${balance.if} AND #emailVerified = :verified`,
          values: { ...balance.values, verified: true },
        },
        also: {
          referral: {
            update: referredRows.key({ userId }),
            set: { state: 'settled', referrerCredited: 'referrer' in referrer },
            if: '#state = :open AND attribute_not_exists(#voidedAt)',
            values: { open: 'open' },
          },
          posting: own.posting,
          audit: own.entry,
          ...referrer,
        },
      }
    },
    { again: ['referral', 'referrer', 'referrerPosting'] },
  )
}

/**
 * Withdraws the credits of a settled referral if no payment counts any longer, as far as the balances allow, or posts
 * them again if a payment counts again. All postings and the referral's row are one transaction, so repeated and
 * concurrent calls post once.
 */
async function moveCredits(ctx: AuditContext, userId: string, now: number): Promise<void> {
  const { table } = ctx
  await changeItem(
    { table, key: referredRows.key({ userId }) },
    async (item) => {
      const referral = item && referredRows.parse(item)
      if (referral === undefined || !isToMove(referral)) return undefined
      const { referrerId, referrerCredited, withdrawn } = referral
      const whole = -referralMicroUsd
      const [own, referrer] = await Promise.all([
        sideParts(ctx, { id: userId, by: userId, now, microUsd: withdrawn?.own ?? whole }),
        referrerCredited === true
          ? sideParts(ctx, {
              id: referrerId,
              by: userId,
              now,
              microUsd: withdrawn?.referrer ?? whole,
            })
          : undefined,
      ])
      return {
        update: {
          ...(withdrawn === undefined
            ? {
                set: {
                  withdrawn: { own: -(own?.microUsd ?? 0), referrer: -(referrer?.microUsd ?? 0) },
                },
              }
            : { remove: ['withdrawn'] }),
          if: `attribute_${withdrawn === undefined ? '' : 'not_'}exists(#voidedAt) AND attribute_${withdrawn === undefined ? 'not_' : ''}exists(#withdrawn)`,
        },
        also: {
          ...(own && { own: own.user, ownPosting: own.posting, ownAudit: own.audit }),
          ...(referrer && {
            referrer: referrer.user,
            referrerPosting: referrer.posting,
            referrerAudit: referrer.audit,
          }),
        },
      }
    },
    { again: ['own', 'ownPosting', 'referrer', 'referrerPosting'] },
  )
}

/** Returns the writes for one of the two users; undefined for a deleted user, or if no credits are posted. */
async function sideParts(
  ctx: AuditContext,
  { id, ...details }: { id: string; by: string; now: number; microUsd: number },
) {
  const user = await findUser(ctx.table, id)
  if (user === undefined || isDeleted(user)) return undefined
  const { balance, posting, entry, microUsd } = await posted(ctx, { user, ...details })
  if (microUsd === 0) return undefined
  return {
    microUsd,
    user: userStore(ctx.table, id).write.update(profileKey, balance),
    posting,
    audit: entry,
  }
}

function isPayable({ state, paidAt, voidedAt }: Referral): boolean {
  return state === 'open' && paidAt !== undefined && voidedAt === undefined
}

/** True if credits are posted although no payment counts, or withdrawn although one does. */
function isToMove({ state, voidedAt, withdrawn }: Referral): boolean {
  return state === 'settled' && (voidedAt === undefined) === (withdrawn !== undefined)
}

async function referrerParts(
  ctx: AuditContext,
  { userId, referrerId, now }: { userId: string; referrerId: string; now: number },
) {
  const user = await findUser(ctx.table, referrerId)
  if (user === undefined || isDeleted(user)) return {}
  const creditedReferrals = creditedInYear(user, new Date(now).getUTCFullYear())
  if (creditedReferrals.count > maxCredited) return {}
  // The write requires an unchanged number of postings, and each credited referral is a posting, so the count cannot
  // exceed the limit.
  const { balance, posting, entry } = await posted(ctx, {
    user,
    by: userId,
    now,
    microUsd: referralMicroUsd,
  })
  const set = { ...balance.set, creditedReferrals }
  return {
    referrer: userStore(ctx.table, referrerId).write.update(profileKey, { ...balance, set }),
    referrerPosting: posting,
    referrerAudit: entry,
  }
}

/**
 * Returns the writes that post one user's credits for a referral, with the audit entry.
 * @param by the referred user
 * @param microUsd negative for a withdrawal, which takes no more than the balance
 */
async function posted(
  ctx: AuditContext,
  { user, by, now, microUsd }: { user: User; by: string; now: number; microUsd: number },
) {
  const credit = { microUsd, reason: 'referral', ref: by } as const
  const { account, balance, posting, microUsd: moved } = postCredits(user.id, user, credit, now)
  const entry = await audit(ctx, 'credits.granted', {
    userId: user.id,
    by,
    target: by,
    before: { creditMicroUsd: user.creditMicroUsd },
    after: { creditMicroUsd: account.creditMicroUsd },
  })
  return { balance, posting, entry, microUsd: moved }
}

/** Returns the year's count of credited referrals, plus one. */
function creditedInYear({ creditedReferrals: before }: User, year: number) {
  return { year, count: before?.year === year ? before.count + 1 : 1 }
}

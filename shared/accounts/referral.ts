import { toMicroUsd } from '../ledger/credit.ts'
import { type Posting, postCredits } from '../ledger/post.ts'
import { audit, type AuditContext } from '../identity/audit.ts'
import { PlatformError } from '../platform/errors.ts'
import { changeItem } from '../platform/table/change-item.ts'
import type { Part, Parts, RefusalErrors } from '../platform/table/commit.ts'
import { referralRows, userRows } from './rows.ts'
import { toUser, type User } from './user.ts'

/** What a referral gives to both sides: contract.md 2. */
const referralCredits = 10

/** For so many users in a calendar year their referrer is credited: docs/billing.md. Accounts cost nothing to make. */
const mostCredited = 100

/** Without 0, 1, I and O, which people mistake for others; 32 of them, so that a byte picks one without bias. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A code that a user can hand on: 8 characters, 40 random bits. */
export function newReferralCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  return Array.from(bytes, (byte) => letters[byte % letters.length]).join('')
}

/** What a referral posts to either side. @param userId the one who was brought */
export function referralPosting(userId: string): Posting {
  return { microUsd: toMicroUsd(referralCredits), reason: 'referral', ref: userId }
}

/** The audit's entry of a referral's credits, for either side. @param by the one who was brought */
export function referralEntry(
  ctx: AuditContext,
  { userId, by, before, after }: { userId: string; by: string; before: number; after: number },
): Promise<Part> {
  return audit(ctx, 'credits.granted', {
    userId,
    by,
    target: by,
    before: { creditMicroUsd: before },
    after: { creditMicroUsd: after },
  })
}

/**
 * Credits a code's owner in the transaction that makes the user whom they brought, as often as a year allows.
 * @param parts the rest of that transaction, and `errors` what to throw where one of them is refused
 * @throws PlatformError 400 for a code that no user has
 */
export async function creditReferrer<const P extends Parts>(
  ctx: AuditContext,
  { code, userId }: { code: string; userId: string },
  parts: P,
  errors: RefusalErrors<P>,
  now = Date.now(),
): Promise<void> {
  const { table } = ctx
  const row = await table.get(referralRows.key({ code }))
  if (row === undefined) throw unknownReferral()
  const referrer = referralRows.parse(row).userId
  await changeItem(
    { table, key: userRows.key({ userId: referrer }) },
    async (item) => {
      if (item === undefined) throw unknownReferral()
      const user = toUser(item)
      const credited = creditedInYear(user, new Date(now).getUTCFullYear())
      // Each credited referral is a posting, and the number of postings is the condition: no two of them are the last.
      const { account, balance, posting } = postCredits(referrer, user, referralPosting(userId))
      const add = { referralCount: 1 }
      if (credited.count > mostCredited)
        return { update: { add, if: 'attribute_exists(pk)' }, also: parts }
      const [before, after] = [user.creditMicroUsd, account.creditMicroUsd]
      const entry = await referralEntry(ctx, { userId: referrer, by: userId, before, after })
      return {
        update: { ...balance, set: { ...balance.set, creditedReferrals: credited }, add },
        also: { ...parts, referrerPosting: posting, referrerAudit: entry },
      }
    },
    { errors },
  )
}

/** The count of a year's credited referrals with one more. */
function creditedInYear({ creditedReferrals: before }: User, year: number) {
  return { year, count: before?.year === year ? before.count + 1 : 1 }
}

function unknownReferral(): PlatformError {
  return new PlatformError('bad-request', 'referralCode is not known')
}

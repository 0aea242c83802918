import { audit, type AuditContext } from '../identity/audit.ts'
import type { RateLimit } from '../manifest/types.ts'
import type { Parts } from '../platform/table/commit.ts'
import { newReferralCode } from './referral.ts'
import { emailRows, referralRows, userIndex, userRows } from './rows.ts'
import { newUser, type User } from './user.ts'

/** What a way to make users gives of one; the rest begins the same for all. */
export type NewUser = Pick<User, 'id' | 'email' | 'name'> & Partial<User>

/** contract.md 20: the limit of new accounts of one address, over all ways to sign up. */
const newAccounts: RateLimit = {
  scope: 'new-accounts',
  perMinute: 60,
  message: 'Too many new accounts; try again in a minute.',
}

export interface NewUserContext extends AuditContext {
  /** Counts one more at the client's address. @throws PlatformError 429 */
  count(limit: RateLimit): Promise<void>
}

/**
 * The parts of the transaction that makes a user: their row, their address and their referral code, each theirs alone,
 * and the audit's entry.
 * @returns the user beside the parts; a refusal of `email` means that the address has a user
 * @throws PlatformError 429 beyond the new accounts that one address may have
 */
export async function insertUser(ctx: NewUserContext, given: NewUser) {
  await ctx.count(newAccounts)
  const referralCode = newReferralCode()
  const user = newUser({ referralCode, ...given })
  const { id: userId, email, name, emailVerified, createdAt } = user
  const isNew = { if: 'attribute_not_exists(pk)' }
  const parts = {
    email: { put: emailRows.put({ email }, { userId }), ...isNew },
    referralCode: {
      put: referralRows.put({ code: referralCode }, { userId }, userIndex(userId)),
      ...isNew,
    },
    user: { put: userRows.put({ userId }, user), ...isNew },
    audit: await audit(ctx, 'account.created', {
      userId,
      target: userId,
      after: { id: userId, email, name, emailVerified, createdAt },
    }),
  } satisfies Parts
  return { user, parts }
}

import type { RateLimit } from '#shared/manifest/types.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Parts } from '#shared/platform/table/commit.ts'
import { newReferralCode } from './referral.ts'
import { emailRows, referralRows, userIndex, userRows } from './rows.ts'
import { newUser, type User } from './user.ts'

/** The attributes that each kind of sign-up sets; the rest have the same initial values for all users. */
export type NewUser = Pick<User, 'id' | 'email' | 'name'> & Partial<User>

/** contract.md 20: the limit of new accounts of one address, over all ways to sign up. */
const newAccounts: RateLimit = {
  scope: 'new-accounts',
  perMinute: 60,
  message: 'Too many new accounts; try again in a minute.',
}

export interface CountsRequests {
  /** Counts one more request for the client's address. @throws PlatformError 429 */
  count(limit: RateLimit): Promise<void>
}

/**
 * Returns the parts of the transaction that creates a user: the user's row, the unique address and referral code, and
 * the audit entry.
 * @returns the user and the parts; a refusal of `email` means that the address already has a user
 * @throws PlatformError 429 if too many accounts were created from one address
 */
export async function insertUser(ctx: AuditContext & CountsRequests, fields: NewUser) {
  await ctx.count(newAccounts)
  const referralCode = newReferralCode()
  const user = newUser({ referralCode, ...fields })
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

import { entitlementsDue } from '#shared/accounts/entitlements/due.ts'
import { entitlements } from '#shared/accounts/entitlements/topic.ts'
import { type ProvesPassword, proveUser } from '#shared/accounts/users/prove-user.ts'
import { renewAccess } from '#shared/accounts/users/renew-access.ts'
import { emailRows, referralRows } from '#shared/accounts/users/rows.ts'
import { findUser, isDeleted, type User } from '#shared/accounts/users/user.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import { cancelBilling } from './cancel-billing.ts'
import { personsOf } from './persons.ts'
import type { AccountDeletion } from './schema.ts'

/**
 * Deletes the caller's account: from now on their sessions, keys and tokens are invalid, and their email address is
 * free. The job that settles entitlements then deletes their agents and ends their payments; its schedule finds the
 * account if this process dies. Bookkeeping data are retained.
 * @throws PlatformError 400 without the required proof, 403 SESSION_REQUIRED for an account without a password and a
 * session older than 15 minutes, 401 for a wrong password or a session that has ended, 429 after too many wrong
 * passwords
 */
export async function deleteAccount(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'> & Sends<'entitlements'> & ProvesPassword,
  proof: AccountDeletion,
): Promise<void> {
  const { table, actor, queues } = ctx
  const user = await findUser(table, actor.user.id)
  if (user === undefined || isDeleted(user) || user.accessEpoch !== actor.user.accessEpoch)
    throw new PlatformError('unauthorized', 'Unauthorized')
  await prove(ctx, user, proof)
  const { id: userId, email, referralCode } = user
  const paid = cancelBilling(user)
  const persons = await personsOf(table, userId)
  const outcome = await renewAccess(ctx, {
    user,
    endKeys: true,
    set: {
      ...paid.set,
      deletedAt: new Date().toISOString(),
      // No mail can reach this address, and no user can register it.
      email: `${userId}@deleted.invalid`,
      emailVerified: false,
      name: 'Deleted account',
      plan: 'free',
    },
    remove: ['passwordHash', 'notifications'],
    also: {
      address: { delete: emailRows.key({ email }) },
      referralCode: { delete: referralRows.key({ code: referralCode }) },
      due: entitlementsDue(userId),
      ...paid.also,
      ...numbered(
        'person',
        persons.map((key) => ({ delete: key })),
      ),
    },
  })
  // Another request changed the user in between.
  if (outcome !== 'renewed') return deleteAccount(ctx, proof)
  await queues.send(entitlements, { userId })
}

async function prove(
  ctx: Pick<UserContext, 'actor' | 'table' | 'requestId'> & Sends<'entitlements'> & ProvesPassword,
  user: User,
  { password, confirm }: AccountDeletion,
): Promise<void> {
  const hasPassword = user.passwordHash !== undefined
  if (hasPassword && password === undefined)
    throw new PlatformError('bad-request', 'password required')
  if (!hasPassword && confirm !== user.email)
    throw new PlatformError('bad-request', 'confirm must be the account’s email address')
  await proveUser(ctx, user, password)
}

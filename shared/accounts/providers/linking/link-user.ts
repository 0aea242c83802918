import { type EndsAgentWebhooks, removeAccess } from '#shared/accounts/users/end-sessions.ts'
import { referralDue, settleReferral } from '#shared/accounts/users/referral.ts'
import { renewAccess } from '#shared/accounts/users/renew-access.ts'
import { profileKey, type User } from '#shared/accounts/users/user.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import { TransactionRefused, tryCommit } from '#shared/platform/table/commit.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { SignInFailed } from '../provider.ts'
import { canSignIn } from './access.ts'
import type { Arrival, Found, LinkContext } from './arrival.ts'
import { linkParts } from './link-parts.ts'

/**
 * Links a provider's person to the user with the same address. The person who created that user without proving the
 * address may not own it, so all existing credentials are removed first; then the address counts as verified, because
 * the provider has verified it.
 * @throws SignInFailed Disabled
 */
export async function linkUser(
  ctx: LinkContext,
  { user, ...arrival }: Arrival & { user: User },
): Promise<Found | 'overtaken'> {
  if (!(await canSignIn(ctx, { userId: user.id, provider: arrival.provider })))
    throw new SignInFailed('Disabled')
  const proven = user.emailVerified ? stillVerified(ctx, user) : await verify(ctx, user)
  if (proven === 'overtaken') return 'overtaken'
  const link = await linkParts(ctx, { userId: user.id, ...arrival })
  const due = user.emailVerified ? undefined : await referralDue(ctx.table, user.id)
  const refusals = await tryCommit(ctx.table, { ...link, proven, due })
  if (refusals === undefined) {
    await settleReferral(ctx, { userId: user.id })
    return { userId: user.id, outcome: 'linked' }
  }
  if (refusals.person ?? refusals.proven) return 'overtaken'
  throw new TransactionRefused(refusals)
}

function stillVerified({ table }: LinkContext, { id, email }: User): Write {
  return userStore(table, id).write.check(profileKey, {
    if: '#email = :email AND #emailVerified = :yes',
    values: { email, yes: true },
  })
}

/**
 * Returns the write that verifies the address, on condition that no password was set in the meantime. It starts
 * another access epoch, so that a concurrent sign-in that still sees the address as unverified cannot end the new
 * sessions.
 */
async function verify(ctx: LinkContext, user: User): Promise<Write | 'overtaken'> {
  const accessEpoch = await unlinkCredentials(ctx, user)
  if (accessEpoch === undefined) return 'overtaken'
  return userStore(ctx.table, user.id).write.update(profileKey, {
    set: { emailVerified: true },
    add: { accessEpoch: 1 },
    if: '#accessEpoch >= :accessEpoch AND #email = :email AND attribute_not_exists(#passwordHash)',
    values: { accessEpoch, email: user.email },
  })
}

/**
 * Removes every credential of an account in one transaction: its password, its keys, its sessions with their reset
 * links and email changes, and its keys of model providers, whose owner could read the user's prompts.
 * @param user as last read
 * @returns the new access epoch; undefined if the user has changed in the meantime
 */
async function unlinkCredentials(
  ctx: AuditContext & EndsAgentWebhooks,
  user: User,
): Promise<number | undefined> {
  const { id, passwordHash } = user
  const own = { userId: id, target: id }
  await ctx.endAgentWebhooks(ctx.table, id)
  const outcome = await renewAccess(ctx, {
    user,
    remove: ['passwordHash'],
    endKeys: true,
    also: {
      passwordAudit:
        passwordHash === undefined
          ? undefined
          : await audit(ctx, 'password.changed', {
              ...own,
              before: { hasPassword: true },
              after: { hasPassword: false },
            }),
    },
  })
  if (outcome !== 'renewed') return undefined
  await removeAccess(ctx, user)
  return user.accessEpoch + 1
}

import { notFound, PlatformError } from '#shared/platform/errors.ts'
import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import type { Part } from '#shared/platform/table/commit.ts'
import { removeSessions } from './end-sessions.ts'
import { passwordChangedMail } from './mails/password.ts'
import { notify } from './notify.ts'
import { type ProvesPassword, proveUser } from './prove-user.ts'
import { renewAccess } from './renew-access.ts'
import type { PasswordChange } from './schema.ts'
import { findUser, type User } from './user.ts'

/**
 * Changes the caller's password and ends all of the user's other sessions in one transaction. A user without a
 * password sets one after a recent sign-in.
 * @throws PlatformError 404 for a deleted user, 401 for an ended session, and the errors of proveUser
 */
export async function changePassword(
  ctx: Pick<UserContext, 'actor' | 'table' | 'log' | 'requestId'> &
    Can<'mailer' | 'webUrl'> &
    ProvesPassword,
  change: PasswordChange,
): Promise<void> {
  const { table, passwords, webUrl, actor } = ctx
  const user = await findUser(table, actor.user.id)
  if (user === undefined) throw notFound('User')
  await proveUser(ctx, user, change.currentPassword)
  const outcome = await renewAccess(ctx, {
    user,
    set: { passwordHash: await passwords.hash(change.newPassword) },
    keep: actor.user.sessionHash,
    also: { passwordAudit: await passwordChanged(ctx, user) },
  })
  if (outcome === 'ended') throw new PlatformError('unauthorized', 'Unauthorized')
  // Another request changed the user in between: the current password must be verified again.
  if (outcome === 'outdated') return changePassword(ctx, change)
  await Promise.all([
    removeSessions(table, user.id, user.accessEpoch + 1),
    notify(ctx, user.id, passwordChangedMail(user.email, user.name, webUrl)),
  ])
}

/** Returns the audit entry of a new password; it shows only whether the user had one before. */
export function passwordChanged(ctx: AuditContext, { id, passwordHash }: User): Promise<Part> {
  return audit(ctx, 'password.changed', {
    userId: id,
    target: id,
    before: { hasPassword: passwordHash !== undefined },
    after: { hasPassword: true },
  })
}

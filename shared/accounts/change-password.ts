import { notFound, PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { removeSessions } from './end-sessions.ts'
import { beginAttempt } from './lockout.ts'
import { passwordChangedMail } from './mails/password.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { renewAccess } from './renew-access.ts'
import type { PasswordChange } from './schema.ts'
import { findUser, type User } from './user.ts'

export interface ChangePasswordContext extends NotifyContext {
  table: Table
  passwords: Passwords
  webUrl: string
  /** The client's address. */
  ip: string
  /** False only for load tests on one machine. */
  lockouts: boolean
  userId: string
  /** The session that asks, which goes on; absent for an API key. */
  sessionHash: string | undefined
}

/**
 * Changes a password and ends every other session, in one moment. Whoever has no password yet sets one without.
 * @throws PlatformError 400 without the current password, 401 for a wrong one, 404 for a user who is gone, 429 after too
 * many wrong ones: a session that somebody left open is no place to guess at
 */
export async function changePassword(
  context: ChangePasswordContext,
  change: PasswordChange,
): Promise<void> {
  const { table, passwords, webUrl, userId, sessionHash } = context
  const user = await findUser(table, userId)
  if (user === undefined) throw notFound('User')
  await proveCurrent(context, user, change.currentPassword)
  const outcome = await renewAccess(table, user, {
    set: { passwordHash: await passwords.hash(change.newPassword) },
    keep: sessionHash,
  })
  if (outcome === 'ended') throw new PlatformError('unauthorized', 'Unauthorized')
  // Somebody else changed the user in between: the current password must be proven anew.
  if (outcome === 'outdated') return changePassword(context, change)
  await Promise.all([
    removeSessions(table, user.id, user.accessEpoch + 1),
    notify(context, user.id, passwordChangedMail(user.email, user.name, webUrl)),
  ])
}

async function proveCurrent(
  { table, passwords, ip, lockouts }: ChangePasswordContext,
  { email, passwordHash }: User,
  given: string | undefined,
): Promise<void> {
  if (passwordHash === undefined) return
  if (given === undefined) throw new PlatformError('bad-request', 'currentPassword required')
  const attempt = lockouts ? await beginAttempt(table, { email, ip }) : undefined
  if (!(await passwords.matches(given, passwordHash)))
    throw new PlatformError('unauthorized', 'Current password is wrong')
  await attempt?.succeed()
}

import { PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { beginAttempt } from './lockout.ts'
import type { Passwords } from './password.ts'
import type { User } from './user.ts'

export interface ProvePasswordContext {
  table: Table
  passwords: Passwords
  /** The client's address. */
  ip: string
  /** False only for load tests on one machine. */
  lockouts: boolean
}

/**
 * Has a user who is signed in prove their password; each wrong one counts as a failed sign-in, since a session that was
 * left open is no place to guess at.
 * @param user who has a password
 * @throws PlatformError 400 without the current password, 401 for a wrong one, 429 after too many wrong ones
 */
export async function provePassword(
  { table, passwords, ip, lockouts }: ProvePasswordContext,
  { email, passwordHash }: User,
  given: string | undefined,
): Promise<void> {
  if (given === undefined) throw new PlatformError('bad-request', 'currentPassword required')
  const attempt = lockouts ? await beginAttempt(table, { email, ip }) : undefined
  if (!(await passwords.matches(given, passwordHash)))
    throw new PlatformError('unauthorized', 'Current password is wrong')
  await attempt?.succeed()
}

import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { type AttemptFrom, beginAttempt } from './lockout.ts'
import type { HasPasswords } from './password.ts'
import type { User } from './user.ts'

/** The capabilities of a check of a password. */
export interface ProvesPassword extends AttemptFrom, HasPasswords {
  /** False only for load tests on one machine. */
  lockouts: boolean
}

/**
 * Verifies a signed-in user's password; each wrong password counts as a failed sign-in, so that an open session
 * cannot be used to guess it.
 * @param user a user with a password
 * @throws PlatformError 400 without the current password, 401 for a wrong one, 429 after too many wrong ones
 */
export async function provePassword(
  ctx: Pick<Context, 'table'> & ProvesPassword,
  { email, passwordHash }: User,
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw new PlatformError('bad-request', 'currentPassword required')
  const attempt = ctx.lockouts ? await beginAttempt(ctx, email) : undefined
  if (!(await ctx.passwords.matches(password, passwordHash)))
    throw new PlatformError('unauthorized', 'Current password is wrong')
  await attempt?.succeed()
}

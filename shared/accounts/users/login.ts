import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { beginAttempt } from './lockout.ts'
import type { ProvesPassword } from './prove-user.ts'
import type { Credentials } from './schema.ts'
import { type Device, startSession } from './session.ts'
import { findUserByEmail } from './user.ts'

/**
 * Signs a user in with a password. Takes the time of one hash whether or not the account exists.
 * @returns the session cookie's value, and the user
 * @throws PlatformError 401 for a wrong address or password, 429 after too many failures
 */
export async function login(
  ctx: Pick<Context, 'table'> & ProvesPassword & { device?: Device },
  { email, password }: Credentials,
): Promise<{ user: { id: string; name: string }; session: string }> {
  const { table, passwords, device, lockouts } = ctx
  const attempt = lockouts ? await beginAttempt(ctx, email) : undefined
  const user = await findUserByEmail(table, email)
  const right = await passwords.matches(password, user?.passwordHash)
  if (user === undefined || !right)
    throw new PlatformError('unauthorized', 'Invalid email or password')
  await attempt?.succeed()
  const { id: userId, accessEpoch } = user
  const session = await startSession({ table }, { userId, accessEpoch, ...(device && { device }) })
  return { user: { id: user.id, name: user.name }, session }
}

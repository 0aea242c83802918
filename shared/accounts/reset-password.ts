import { PlatformError } from '../platform/errors.ts'
import type { Table } from '../platform/table/port.ts'
import { removeSessions } from './end-sessions.ts'
import { forgiveAccount } from './lockout.ts'
import { passwordChangedMail } from './mails/password.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { renewAccess } from './renew-access.ts'
import { isCurrent, resetKey } from './reset-link.ts'
import type { PasswordReset } from './schema.ts'
import { findUser } from './user.ts'

export interface ResetPasswordContext extends NotifyContext {
  table: Table
  passwords: Passwords
  webUrl: string
}

/**
 * Sets a new password by a link's token. The link is used up, the password set and every session ended in one
 * moment, so of any number of parallel uses one wins.
 * @throws PlatformError 400 for a token that is unknown, used or expired
 */
export async function resetPassword(
  context: ResetPasswordContext,
  { token, password }: PasswordReset,
): Promise<void> {
  const { table, passwords, webUrl } = context
  const key = await resetKey(token)
  const link = await table.get(key)
  if (link === undefined) throw badToken()
  const user = await findUser(table, String(link.userId))
  if (user === undefined || !isCurrent(link, user)) throw badToken()
  const outcome = await renewAccess(table, user, {
    set: { passwordHash: await passwords.hash(password) },
    alongside: [{ delete: key, if: 'attribute_exists(pk)' }],
  })
  if (outcome !== 'renewed') throw badToken()
  await Promise.all([
    removeSessions(table, user.id, user.accessEpoch + 1),
    // Who forgot a password has guessed before; the proof of the mailbox is worth more than those guesses.
    forgiveAccount(table, user.email),
    notify(context, user.id, passwordChangedMail(user.email, user.name, webUrl)),
  ])
}

function badToken(): PlatformError {
  return new PlatformError('bad-request', 'The token is unknown, used or expired')
}

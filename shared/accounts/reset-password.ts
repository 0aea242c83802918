import { PlatformError } from '../platform/errors.ts'
import { present } from '../platform/table/present.ts'
import { passwordChanged } from './change-password.ts'
import { type EndAccessContext, removeAccess } from './end-sessions.ts'
import { forgiveAccount } from './lockout.ts'
import { passwordResetMail } from './mails/password.ts'
import { notify, type NotifyContext } from './notify.ts'
import type { Passwords } from './password.ts'
import { renewAccess } from './renew-access.ts'
import { isCurrent, resetKey } from './reset-link.ts'
import { resetRows } from './rows.ts'
import type { PasswordReset } from './schema.ts'
import { findUser } from './user.ts'

export interface ResetPasswordContext extends NotifyContext, EndAccessContext {
  passwords: Passwords
  webUrl: string
}

/**
 * Sets a new password by a link's token. The link is used up, the password set and every session and API key ended in
 * one moment, so of any number of parallel uses one wins.
 * @returns the id of the user
 * @throws PlatformError 400 for a token that is unknown, used or expired
 */
export async function resetPassword(
  ctx: ResetPasswordContext,
  { token, password }: PasswordReset,
): Promise<{ userId: string }> {
  const { table, passwords, webUrl } = ctx
  const key = await resetKey(token)
  const row = await table.get(key)
  if (row === undefined) throw badToken()
  const link = resetRows.parse(row)
  const user = await findUser(table, link.userId)
  if (user === undefined || !isCurrent(link, user)) throw badToken()
  // Also before the renewal, so that no address is left if the process ends right after it.
  const first = await ctx.endAgentWebhooks(table, user.id)
  const outcome = await renewAccess(ctx, {
    user,
    set: { passwordHash: await passwords.hash(password) },
    // A person who knew the old password may have made keys with it.
    endKeys: true,
    also: {
      link: { delete: key, ...present() },
      passwordAudit: await passwordChanged(ctx, user),
    },
  })
  if (outcome !== 'renewed') throw badToken()
  const ended = [...first, ...(await removeAccess(ctx, user))]
  await Promise.all([
    // A person who forgot a password has guessed before; the proof of the mailbox is worth more than those guesses.
    forgiveAccount(table, user.email),
    notify(ctx, user.id, passwordResetMail(user.email, user.name, { webUrl, ended })),
  ])
  return { userId: user.id }
}

function badToken(): PlatformError {
  return new PlatformError('bad-request', 'The token is unknown, used or expired')
}

import { PlatformError } from '#shared/platform/errors.ts'
import type { AuditContext } from '#shared/platform/identity/audit.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { ifPresent } from '#shared/platform/table/if-present.ts'
import { passwordChanged } from './change-password.ts'
import type { FindsChosenImages } from './chosen-image.ts'
import { type EndsAgentWebhooks, removeAccess } from './end-sessions.ts'
import { forgiveAccount } from './lockout.ts'
import { passwordResetMail } from './mails/password.ts'
import { notify } from './notify.ts'
import type { HasPasswords } from './password.ts'
import { renewAccess } from './renew-access.ts'
import { isCurrent, resetKey } from './reset-link.ts'
import { resetRows } from './rows.ts'
import type { PasswordReset } from './schema.ts'
import { findUser } from './user.ts'

/**
 * Sets a new password with a link's token. One transaction uses up the link, sets the password and ends every
 * session and API key, so one of several concurrent uses succeeds.
 * @returns the id of the user
 * @throws PlatformError 400 for an unknown, used or expired token
 */
export async function resetPassword(
  ctx: Pick<Context, 'log'> &
    AuditContext &
    Can<'mailer' | 'webUrl'> &
    EndsAgentWebhooks &
    FindsChosenImages &
    HasPasswords,
  { token, password }: PasswordReset,
): Promise<{ userId: string }> {
  const { table, passwords, webUrl } = ctx
  const key = await resetKey(token)
  const row = await table.get(key)
  if (row === undefined) throw badToken()
  const link = resetRows.parse(row)
  const user = await findUser(table, link.userId)
  if (user === undefined || !isCurrent(link, user)) throw badToken()
  // Also before the renewal, so that no webhook is left if the process ends right after it.
  const first = await ctx.endAgentWebhooks(table, user.id)
  const outcome = await renewAccess(ctx, {
    user,
    set: { passwordHash: await passwords.hash(password) },
    // A person who knew the old password may have created keys.
    endKeys: true,
    also: {
      link: { delete: key, ...ifPresent() },
      passwordAudit: await passwordChanged(ctx, user),
    },
  })
  if (outcome !== 'renewed') throw badToken()
  const ended = [...first, ...(await removeAccess(ctx, user))]
  const images = await ctx.chosenImages(table, user.id)
  await Promise.all([
    // A person who forgot a password has usually guessed before; access to the mailbox outweighs those guesses.
    forgiveAccount(table, user.email),
    notify(ctx, user.id, passwordResetMail(user.email, user.name, { webUrl, ended, images })),
  ])
  return { userId: user.id }
}

function badToken(): PlatformError {
  return new PlatformError('bad-request', 'The token is unknown, used or expired')
}

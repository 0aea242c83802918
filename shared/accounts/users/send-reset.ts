import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { withinMailQuota } from './mail-quota.ts'
import { resetMail } from './mails/password.ts'
import { newResetLink } from './reset-link.ts'
import { isWalletAddress } from './schema.ts'
import type { PasswordReset } from './topic.ts'
import { findUserByEmail } from './user.ts'

/**
 * Mails a reset link, if the account exists. It runs after the response, so that neither the response nor its time
 * reveals whether the account exists. A repeat sends another mail, whose link works as well.
 */
export async function sendReset(
  ctx: Pick<Context, 'table'> & Can<'mailer' | 'webUrl'> & { again: boolean },
  { email }: PasswordReset,
): Promise<void> {
  const { table, mailer, again } = ctx
  const user = await findUserByEmail(table, email)
  if (user === undefined || isWalletAddress(user.email)) return
  if (!again && !(await withinMailQuota(table, user.id, 'reset'))) return
  const link = await newResetLink(ctx, { user })
  await mailer.send(resetMail(user.email, user.name, link))
}

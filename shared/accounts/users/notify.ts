import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { isWalletAddress } from './schema.ts'

/** Informs a user by mail about a completed change; a failure to send does not undo the change. */
export async function notify(
  { mailer, log }: Pick<Context, 'log'> & Can<'mailer'>,
  userId: string,
  mail: Mail,
): Promise<void> {
  if (isWalletAddress(mail.to)) return
  try {
    await mailer.send(mail)
  } catch (error) {
    log.error('a mail was not sent', { userId, mail: mail.subject, error })
  }
}

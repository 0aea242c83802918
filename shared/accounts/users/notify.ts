import type { Log } from '#shared/platform/log.ts'
import type { Mail, Mailer } from '#shared/platform/mail/port.ts'
import { isWalletAddress } from './schema.ts'

export interface NotifyContext {
  mailer: Mailer
  log: Log
}

/** Informs a user by mail about a completed change; a failure to send does not undo the change. */
export async function notify(
  { mailer, log }: NotifyContext,
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

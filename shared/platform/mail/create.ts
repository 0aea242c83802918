import type { Config } from '../config/load.ts'
import { createLog } from '../log.ts'
import { s3WholeObjects } from '../objects/whole.ts'
import type { Mailer } from './port.ts'
import { sesMailer } from './ses.ts'

export type MailSettings = Pick<
  Config,
  'deployed' | 'EMAIL_FROM' | 'OBJECTS_BUCKET' | 'S3_ENDPOINT' | 'SES_ENDPOINT'
>

const localSender = 'Agent Platform <no-reply@localhost>'

/**
 * Creates the mail port for the settings. Without a sender, or on one machine without a mail engine, mails are
 * logged instead of sent, and the request that caused them continues.
 */
export function createMailer(settings: MailSettings): Mailer {
  const { deployed, EMAIL_FROM, SES_ENDPOINT } = settings
  const from = EMAIL_FROM ?? (deployed ? undefined : localSender)
  if (from === undefined) return unconfiguredMailer('EMAIL_FROM')
  if (!deployed && SES_ENDPOINT === undefined) return unconfiguredMailer('SES_ENDPOINT')
  return sesMailer({ from, endpoint: SES_ENDPOINT, objects: s3WholeObjects(settings) })
}

function unconfiguredMailer(missing: string): Mailer {
  const log = createLog()
  return {
    async send({ subject }) {
      log.warn('mail is not configured, so the mail was not sent', {
        missing: [missing],
        mail: subject,
      })
    },
  }
}

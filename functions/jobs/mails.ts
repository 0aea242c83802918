import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { createMailer } from '#shared/platform/mail/create.ts'
import { openMail } from '#shared/platform/mail/open.ts'
import { mails } from '#shared/platform/mail/topic.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { sendOnce } from '#shared/signals/notices/send-once.ts'
import { jobWith } from '../common/job.ts'

/** Sends emails through the mail service. */
export const job = jobWith<typeof wire>()({
  topic: mails,
  handle: async ({ table, mailer, sealer }, message) => {
    const mail = await openMail(message, sealer)
    if (mail.once === undefined) return mailer.send(mail)
    await sendOnce(table, { id: mail.once, channel: 'mail' }, () => mailer.send(mail))
  },
})

export function wire(config: ConfigOf<'mails'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      mailer: createMailer(config),
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
    },
  }
}

import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { createMailer } from '../../shared/platform/mail/create.ts'
import { openMail } from '../../shared/platform/mail/open.ts'
import { mails } from '../../shared/platform/mail/topic.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { jobWith } from '../common/job.ts'

/** Hands mails to the mail service. */
export const job = jobWith<typeof wire>()({
  topic: mails,
  handle: async ({ mailer, seals }, message) => mailer.send(await openMail(message, seals)),
})

export function wire(config: ConfigOf<'mails'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      mailer: createMailer(config),
      seals: encryptionKey === undefined ? undefined : sealer(encryptionKey),
    },
  }
}

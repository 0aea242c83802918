import { loadConfig } from '../../shared/platform/config/load.ts'
import { createMailer } from '../../shared/platform/mail/create.ts'
import { openMail } from '../../shared/platform/mail/open.ts'
import { mails } from '../../shared/platform/mail/topic.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
const mailer = createMailer(config)

/** Hands mails to the mail service. */
export const handler = job(config, {
  topic: mails,
  handle: async (_, message) => mailer.send(await openMail(message, seals)),
})

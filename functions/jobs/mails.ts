import { loadConfig } from '../../shared/platform/config/load.ts'
import { createMailer } from '../../shared/platform/mail/create.ts'
import { openMail, QueuedMail } from '../../shared/platform/mail/open.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { sealer } from '../../shared/platform/seal.ts'

const config = loadConfig(process.env)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
const mailer = createMailer(config)

/** Hands mails to the mail service. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: QueuedMail,
  handle: async (message) => mailer.send(await openMail(message, seals)),
  queueUrl: config.queueUrl('mails'),
  endpoint: config.SQS_ENDPOINT,
})

import { loadConfig } from '../../shared/platform/config/load.ts'
import { createMailer } from '../../shared/platform/mail/create.ts'
import { Mail } from '../../shared/platform/mail/port.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'

const config = loadConfig(process.env)
const mailer = createMailer(config)

/** Hands mails to the mail service. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: Mail,
  handle: (mail) => mailer.send(mail),
  queueUrl: config.queueUrl('mails'),
  endpoint: config.SQS_ENDPOINT,
})

import { ResetRequest, sendReset } from '../../shared/accounts/send-reset.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { queuedMailer } from '../../shared/platform/mail/queued.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { openTable } from '../../shared/platform/table/open.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
const mailer = queuedMailer(openQueues(config), seals)

/** Mails reset links to those who asked for one and have an account. */
export const handler = consumer({
  name: config.FUNCTION_NAME,
  schema: ResetRequest,
  handle: (request, { receives }) =>
    sendReset({ table, mailer, webUrl: config.WEB_URL, again: receives > 1 }, request),
  queueUrl: config.queueUrl('password-resets'),
  endpoint: config.SQS_ENDPOINT,
})

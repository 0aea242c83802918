import { sendReset } from '../../shared/accounts/send-reset.ts'
import { passwordResets } from '../../shared/accounts/topic.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { queuedMailer } from '../../shared/platform/mail/queued.ts'
import { sealer } from '../../shared/platform/seal.ts'
import { openTable } from '../../shared/platform/table/open.ts'
import { job } from '../common/job.ts'

const config = loadConfig(process.env)
const table = openTable(config)
const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)

/** Mails reset links to those who asked for one and have an account. */
export const handler = job(config, {
  topic: passwordResets,
  handle: ({ queues, receives }, request) => {
    const mailer = queuedMailer(queues, seals)
    return sendReset({ table, mailer, webUrl: config.WEB_URL, again: receives > 1 }, request)
  },
})

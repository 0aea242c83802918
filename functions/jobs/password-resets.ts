import { sendReset } from '#shared/accounts/users/send-reset.ts'
import { passwordResets } from '#shared/accounts/users/topic.ts'
import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Emails reset links to users who have an account. */
export const job = jobWith<typeof wire>()({
  topic: passwordResets,
  handle: ({ table, webUrl, sealer, queues, receives }, request) => {
    const askers = request.network === undefined ? [] : [request.network]
    const mailer = userMailer({ table, queues, sealer, askers })
    return sendReset({ table, mailer, webUrl, again: receives > 1 }, request)
  },
})

export function wire(config: ConfigOf<'password-resets'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey } = config
  return {
    services: {
      table: openTable(config),
      webUrl: config.WEB_URL,
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
    },
  }
}

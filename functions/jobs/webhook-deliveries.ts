import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { webhookDeliveries } from '#shared/signals/outbound-webhooks/topic.ts'
import { attemptWebhookDelivery } from '#shared/tools/webhook-endpoints/delivery/attempt.ts'
import { jobWith } from '../common/job.ts'

/** Posts events to users' webhook endpoints. */
export const job = jobWith<typeof wire>()({
  topic: webhookDeliveries,
  handle: (ctx, message) => attemptWebhookDelivery({ ...ctx, mailer: userMailer(ctx) }, message),
})

export function wire(config: ConfigOf<'webhook-deliveries'>) {
  const { WALLET_ENCRYPTION_KEY: encryptionKey, WEB_URL: webUrl } = config
  return {
    services: {
      table: openTable(config),
      guard: config,
      encryptionKey,
      sealer: encryptionKey === undefined ? undefined : sealer(encryptionKey),
      webUrl,
    },
  }
}

import { attemptDeliveries } from '#shared/conversations/channels/deliveries/attempt.ts'
import { showTyping } from '#shared/conversations/channels/deliveries/show-typing.ts'
import { downloadFile } from '#shared/conversations/channels/files/download.ts'
import { channelDeliveries } from '#shared/conversations/channels/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { queuedMailer } from '#shared/platform/mail/queued-mailer.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { sealer } from '#shared/platform/seal.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Sends the answers of agents to the chats of their channels. */
export const job = jobWith<typeof wire>()({
  topic: channelDeliveries,
  handle: (ctx, { typing, download, ...message }) => {
    if (typing !== undefined) return showTyping(ctx, { ...message, typing })
    if (download !== undefined) return downloadFile(ctx, { ...message, download })
    const { encryptionKey: key } = ctx
    const mailer = queuedMailer(ctx.queues, key === undefined ? undefined : sealer(key))
    return attemptDeliveries({ ...ctx, mailer }, message)
  },
})

export function wire(config: ConfigOf<'channel-deliveries'>) {
  return {
    services: {
      table: openTable(config),
      objects: s3WholeObjects(config),
      packs: s3PartialObjects(config),
      config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      webUrl: config.WEB_URL,
      guard: { deployed: config.deployed },
    },
  }
}

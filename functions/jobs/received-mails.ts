import { handOver } from '#shared/conversations/channels/adapters/email/hand-over.ts'
import { receivedMails } from '#shared/conversations/channels/adapters/email/topic.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { jobWith } from '../common/job.ts'

/** Reads the mails to agents' email channels. */
export const job = jobWith<typeof wire>()({
  topic: receivedMails,
  handle: (ctx, message) => {
    const { encryptionKey } = ctx
    if (encryptionKey === undefined)
      throw notConfigured('Email to agents', ['WALLET_ENCRYPTION_KEY'])
    return handOver({ ...ctx, encryptionKey }, message)
  },
})

export function wire(config: ConfigOf<'received-mails'>) {
  const { deployed } = config
  return {
    services: {
      config,
      deployed,
      guard: { deployed },
      objects: s3WholeObjects(config),
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      webUrl: config.WEB_URL,
    },
  }
}

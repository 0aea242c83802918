import { channelSetUps } from '#shared/agents/fleet/channels/topic.ts'
import { syncConfigChannel } from '#shared/conversations/channels/from-config/sync.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { jobWith } from '../common/job.ts'

/** Gives agents' channels for Telegram the tokens of their configs. */
export const job = jobWith<typeof wire>()({
  topic: channelSetUps,
  handle: ({ table, queues, log, config }, ref) =>
    syncConfigChannel(
      {
        table,
        queues,
        log,
        config,
        encryptionKey: config.WALLET_ENCRYPTION_KEY,
        webUrl: config.WEB_URL,
        guard: { deployed: config.deployed },
      },
      ref,
    ),
})

export function wire(config: ConfigOf<'channel-set-ups'>) {
  return { services: { table: openTable(config), config } }
}

import { pollChannels } from '#shared/conversations/channels/events/poll.ts'
import { tearDownChannels } from '#shared/conversations/channels/tear-down.ts'
import { chatWork, outboxWork } from '#shared/conversations/channels/work.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openTable } from '#shared/platform/table/open.ts'
import { revokeDue } from '#shared/tools/connections/oauth/revoke-due.ts'
import { figuresOf, type TickOf } from '../common/tick.ts'

/** The time of a tick for polls and revocations, in milliseconds. The next tick continues at once. */
const askMs = 55_000

/**
 * Every minute: finds chats with events to carry out, and with messages to send. Removes what deleted agents have left
 * at other services: the registrations of channels, and the tokens of connections. On one machine it also polls services
 * for messages.
 */
export const tick: TickOf<typeof wire> = async (ctx) => {
  const { scheduledAt: at } = ctx
  const due = async () => {
    const [turns, deliveries] = await Promise.all([
      chatWork.tick(ctx, at),
      outboxWork.tick(ctx, at),
    ])
    return { sent: turns + deliveries }
  }
  const until = Date.now() + askMs
  const polls = pollChannels(ctx, { until })
  const revocations = revokeDue(ctx, { now: at, until })
  return figuresOf(due(), tearDownChannels(ctx), revocations, polls)
}

export function wire(config: ConfigOf<'channels-due'>) {
  return {
    services: {
      table: openTable(config),
      config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      webUrl: config.WEB_URL,
      guard: { deployed: config.deployed },
      allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
    },
  }
}

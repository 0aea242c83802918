import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'
import type { AdapterContext, ChannelEvent, OpenChannel } from '../adapter.ts'
import { callTelegram } from './api.ts'
import { botOf } from './fields.ts'
import { eventsOf } from './read.ts'
import { updates } from './set-up.ts'

/** The longest time that Telegram waits for a message before it responds, in seconds. */
const waitSeconds = 20

const numbered = z.array(z.looseObject({ update_id: z.number() }))

/**
 * Waits for new messages. The next call confirms the messages of this one, so store the messages before the cursor.
 * @param cursor the bot and the number of its next update. The cursor of another bot is ignored, because each bot has
 * its own numbers
 * @throws PlatformError 401 for a token that Telegram no longer accepts, 409 if another program receives the bot's
 * messages, 502; HttpFailure
 */
export async function poll(
  ctx: AdapterContext,
  channel: OpenChannel,
  cursor: string,
): Promise<{ events: readonly ChannelEvent[]; cursor: string }> {
  const { id, token } = botOf(channel)
  const [bot, offset] = cursor.split(':')
  const answer = await callTelegram(ctx, {
    token,
    method: 'getUpdates',
    fields: {
      timeout: waitSeconds,
      allowed_updates: updates,
      ...(bot === id && { offset: Number(offset) }),
    },
    totalMs: (waitSeconds + 10) * 1000,
  })
  if (!answer.ok) throw refusal(answer)
  const received = numbered.safeParse(answer.result).data ?? []
  const last = received.at(-1)?.update_id
  return {
    events: eventsOf(channel, received),
    cursor: last === undefined ? cursor : `${id}:${last + 1}`,
  }
}

function refusal({ status, description }: { status: number; description: string }): PlatformError {
  if (status === 401 || status === 404)
    return new PlatformError('unauthorized', 'Telegram no longer accepts the bot’s token')
  if (status === 409) return new PlatformError('conflict', `Telegram refused: ${description}`)
  return new PlatformError('bad-gateway', `Telegram failed: ${description}`)
}

import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { tryCommit } from '#shared/platform/table/commit.ts'
import { absent, ifPresent } from '#shared/platform/table/if-present.ts'
import type { ChannelEvent, ChannelFile } from '../adapters/adapter.ts'
import { maxReceivedFiles } from '../adapters/limits.ts'
import type { Channel } from '../channel.ts'
import { keptSeconds, keptUntil } from '../kept.ts'
import { channelChatRows, channelChatsDue, channelEventRows, channelWaitingRows } from '../rows.ts'
import { shortHash } from '../short-hash.ts'
import { channelTurns } from '../topic.ts'
import { chatId } from '../work.ts'
import { shownName } from './shown-name.ts'

/** The longest text of an event in characters. */
const longestText = 32_000

interface Received {
  channel: Channel
  event: ChannelEvent
  /** The place of the event in its request. */
  index?: number
  /** Epoch milliseconds. */
  now: number
}

/** Stores a new event, and requests its turn. A repeated event has no effect. */
export async function storeEvent(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'channel-turns'>,
  { channel, event, index = 0, now }: Received,
): Promise<void> {
  // The ids of older events are no longer stored, so a repetition would not be noticed.
  if (now - event.at > keptSeconds * 1000) return
  const { id: channelId, userId, agentId } = channel
  const [eventHash, chat] = await Promise.all([shortHash(event.id), shortHash(event.chat)])
  const ref = { userId, agentId, channelId, chat }
  const seed = newSeed(now)
  // The service's times order events that arrive out of order. None is later than its receipt. Some services send only
  // seconds: the receipt and the place in the request order events of the same second.
  const times = [Math.min(event.at, now), now].map((at) => String(at).padStart(15, '0'))
  const order = `${times.join('#')}-${String(index).padStart(4, '0')}#${seed}`
  const expiresAt = keptUntil(now)
  const waiting = {
    order,
    seed,
    receivedAt: now,
    sender: { ...event.sender, name: shownName(event.sender.name) },
    text: event.text.slice(0, longestText).toWellFormed(),
    files: event.files.slice(0, maxReceivedFiles).map(shownFile),
    replyTo: { ...event.replyTo },
    codes: event.codes,
  }
  const refusals = await tryCommit(ctx.table, {
    event: {
      put: channelEventRows.put({ ...ref, event: eventHash }, {}, { expiresAt }),
      ...absent(now),
    },
    waiting: { put: channelWaitingRows.put({ ...ref, order }, waiting, { expiresAt }) },
    chat: {
      update: channelChatRows.key(ref),
      set: {
        ...ref,
        name: event.chat,
        replyTo: waiting.replyTo,
        expiresAt,
        ...channelChatsDue.at(chatId(ref), now),
      },
      add: { added: 1 },
      ...(event.onlyIfChat === true && ifPresent(now)),
    },
  })
  if (refusals !== undefined) return
  // The tick repeats a request that was lost.
  await ctx.queues
    .send(channelTurns, ref)
    .catch((error: unknown) => ctx.log.warn('an event waits for the tick', { channelId, error }))
}

function shownFile({ id, name, mime, bytes }: ChannelFile): ChannelFile {
  const shown = { id, name: shownName(name), mime: shownName(mime) }
  return bytes === undefined ? shown : { ...shown, bytes }
}

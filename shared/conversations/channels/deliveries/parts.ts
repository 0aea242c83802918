import type { Parts } from '#shared/platform/table/commit.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { isoOf } from '#shared/platform/times.ts'
import type { Channel } from '../channel.ts'
import { keptUntil } from '../kept.ts'
import type { OutgoingFile } from '../messages/outgoing-file.ts'
import { recipientOf } from '../messages/outgoing.ts'
import {
  channelDeliveryRows,
  channelOutboxesDue,
  channelOutboxRows,
  channelPartRows,
} from '../rows.ts'
import { type Chat, chatId } from '../work.ts'
import { shownReason } from './shown-reason.ts'

/** The most parts of one message; the rest is not sent. */
const maxParts = 30

/** The characters of a part that the owner's list shows. */
const shownText = 200

interface Texts {
  channel: Pick<Channel, 'kind'>
  chat: Chat
  /** The seed of the message. The keys of its parts are derived from it. */
  seed: string
  texts: readonly string[]
  /** The file of the message, which is sent after its texts. */
  file?: OutgoingFile | undefined
  replyTo: Readonly<Record<string, string>>
  /** Epoch milliseconds. Messages to a chat are sent in the order of these times. */
  now: number
  /** The reason why the message is recorded and not sent. */
  refused?: string
  /** Refuses the transaction if this message was stored before. */
  once?: boolean
}

/** Returns the writes that store a message to a chat, for the transaction of its cause. */
export function deliveryParts(message: Texts): Parts {
  const { channel, chat, seed, texts, file, replyTo, now, refused, once } = message
  const contents = [
    ...texts.slice(0, maxParts).map((text) => ({ text })),
    ...(file === undefined ? [] : [{ text: `${file.name} (${file.size} bytes)`, file }]),
  ]
  if (contents.length === 0) return {}
  const { userId, agentId, channelId } = chat
  const ref = { userId, agentId, channelId, chat: chat.chat }
  const expiresAt = keptUntil(now)
  const kept = contents.map((content, i) => ({ content, id: deliveryId(seed, i) }))
  const deliveries = numbered(
    'delivery',
    kept.map(({ content: { text }, id }) => ({
      put: channelDeliveryRows.put(
        { ...ref, order: id },
        {
          id,
          at: isoOf(now),
          chat: recipientOf(channel, chat, replyTo),
          text: text.slice(0, shownText).toWellFormed(),
          state: refused === undefined ? 'waiting' : 'failed',
          reason: refused === undefined ? null : shownReason(refused),
          attempts: 0,
        },
        { expiresAt },
      ),
      ...(once === true && absent()),
    })),
  )
  if (refused !== undefined) return deliveries
  return {
    ...deliveries,
    ...numbered(
      'part',
      kept.map(({ content, id }) => {
        const order = `${String(now).padStart(15, '0')}-${id}`
        const part = { order, delivery: id, ...content, replyTo: { ...replyTo }, attempts: 0 }
        return { put: channelPartRows.put({ ...ref, order }, part, { expiresAt }) }
      }),
    ),
    outbox: {
      update: channelOutboxRows.key(ref),
      set: { ...ref, expiresAt, ...channelOutboxesDue.at(chatId(ref), now) },
      add: { added: 1 },
    },
  }
}

function deliveryId(seed: string, part: number): string {
  return `${seed.toLowerCase()}-${String(part).padStart(2, '0')}`
}

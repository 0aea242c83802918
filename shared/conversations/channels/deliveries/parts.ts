import type { Parts } from '#shared/platform/table/commit.ts'
import { numbered } from '#shared/platform/table/commit.ts'
import { absent } from '#shared/platform/table/if-present.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import {
  channelDeliveryRows,
  channelOutboxesDue,
  channelOutboxRows,
  channelPartRows,
} from '../rows.ts'
import { type Chat, chatId } from '../work.ts'

const keptSeconds = 30 * 86_400

/** The most parts of one message; the rest is not sent. */
const maxParts = 30

/** The characters of a part that the owner's list shows. */
const shownText = 200

interface Texts {
  chat: Chat
  /** The seed of the message, which makes the keys of its parts. */
  seed: string
  texts: readonly string[]
  replyTo: Readonly<Record<string, string>>
  now: number
  /** The reason why the message is recorded and not sent. */
  refused?: string
  /** Refuses the transaction if this message was stored before. */
  once?: true
}

/** Returns the parts of a message to a chat, for the transaction of its cause. */
export function deliveryParts(message: Texts): Parts {
  const { chat, seed, texts, replyTo, now, refused, once } = message
  if (texts.length === 0) return {}
  const { userId, agentId, channelId } = chat
  const ref = { userId, agentId, channelId, chat: chat.chat }
  const expiresAt = epochSeconds(now) + keptSeconds
  const kept = texts.slice(0, maxParts).map((text, i) => ({ text, order: orderOf(seed, i) }))
  const deliveries = numbered(
    'delivery',
    kept.map(({ text, order }) => ({
      put: channelDeliveryRows.put(
        { ...ref, order },
        {
          id: order,
          at: isoOf(now),
          chat: chat.name,
          text: text.slice(0, shownText).toWellFormed(),
          state: refused === undefined ? 'waiting' : 'failed',
          reason: refused ?? null,
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
      kept.map(({ text, order }) => ({
        put: channelPartRows.put(
          { ...ref, order },
          { order, text, replyTo: { ...replyTo }, attempts: 0 },
        ),
      })),
    ),
    outbox: {
      update: channelOutboxRows.key(ref),
      set: { ...ref, ...channelOutboxesDue.at(chatId(ref), now) },
      add: { added: 1 },
    },
  }
}

function orderOf(seed: string, part: number): string {
  return `${seed.toLowerCase()}-${String(part).padStart(2, '0')}`
}

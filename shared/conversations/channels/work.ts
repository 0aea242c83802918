import type * as z from 'zod'
import { holder } from '#shared/platform/work/fence.ts'
import { workItems } from '#shared/platform/work/items.ts'
import { channelChatRows, channelChatsDue, channelOutboxesDue, channelOutboxRows } from './rows.ts'
import { channelDeliveries, channelTurns, type ChatRef } from './topic.ts'

export type Chat = z.output<ReturnType<typeof channelChatRows.declared.schema>>
export type Outbox = z.output<ReturnType<typeof channelOutboxRows.declared.schema>>

type Held = ChatRef & { by?: string | undefined; until?: number | undefined }

/** Returns the id of a chat in the index of due work. */
export function chatId({ channelId, chat }: Pick<ChatRef, 'channelId' | 'chat'>): string {
  return `${channelId}#${chat}`
}

const refOf = ({ userId, agentId, channelId, chat }: ChatRef): ChatRef => ({
  userId,
  agentId,
  channelId,
  chat,
})

/** The events of a chat, which are carried out one after the other. */
export const chatWork = workItems({
  rows: channelChatRows,
  key: (held: Held) => channelChatRows.key(held),
  id: chatId,
  due: channelChatsDue,
  fence: holder('by', 'until'),
  topic: channelTurns,
  message: refOf,
  // Longer than the job can run (`timeoutSeconds` of channel-turns).
  leaseMs: 330_000,
  lostMs: 30_000,
  resendMs: 50_000,
})

/** The messages to a chat, which are sent one after the other. */
export const outboxWork = workItems({
  rows: channelOutboxRows,
  key: (held: Held) => channelOutboxRows.key(held),
  id: chatId,
  due: channelOutboxesDue,
  fence: holder('by', 'until'),
  topic: channelDeliveries,
  message: refOf,
  // Longer than the job can run (`timeoutSeconds` of channel-deliveries).
  leaseMs: 90_000,
  lostMs: 30_000,
  resendMs: 50_000,
})

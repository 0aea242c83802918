import { decodeTime } from 'ulid'
import type * as z from 'zod'
import { newId } from '#shared/platform/ids.ts'
import { commit, type Parts, TransactionRefused, tryCommit } from '#shared/platform/table/commit.ts'
import { tryWrite } from '#shared/platform/table/try-write.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { isoOf } from '#shared/platform/times.ts'
import { countWrite } from './message-count.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'
import { topicWrite } from './topics.ts'

/** The maximum number of characters. A row has at most 400 KB, and a character has at most three bytes. */
export const longestContent = 120_000

export type MessageRow = z.output<ReturnType<(typeof messageRows)['declared']['schema']>>

export type NewMessage = Omit<MessageRow, 'id' | 'timestamp'>

/**
 * Stores a question or an answer together with its day's count, so that statistics need not read messages. The same
 * seed stores the same message once.
 * @param input.seed a ULID: the message's position and time
 * @param input.also parts written in the same transaction
 */
export async function storeMessage(
  store: UserStore,
  {
    message: { content, ...rest },
    seed,
    also,
  }: { message: NewMessage; seed: string; also?: Parts },
): Promise<ChatMessage> {
  const message: MessageRow = {
    ...rest,
    id: newId(messageRows.id, seed),
    content: content.slice(0, longestContent).toWellFormed(),
    timestamp: isoOf(decodeTime(seed)),
    ...(content.length > longestContent && { truncated: true }),
  }
  const sk = messageRows.sk({ agentId: message.agentId, seed })
  const refusals = await tryCommit(store, {
    message: store.write.put(sk, messageRows.attributes(message), {
      if: 'attribute_not_exists(pk)',
    }),
    count: countWrite(store, message),
    topic: topicWrite(store, message),
    ...also,
  })
  // An earlier attempt stored and counted it.
  if (refusals !== undefined && refusals.message === undefined)
    throw new TransactionRefused(refusals)
  if (refusals !== undefined && also !== undefined) await commit(store, also)
  return toChatMessage(message)
}

/** Records on a question that its turn failed without an answer. The row may be deleted with its agent or user. */
export async function recordFailedTurn(
  store: UserStore,
  { agentId, seed }: { agentId: string; seed: string },
): Promise<void> {
  await tryWrite(
    store.update(messageRows.sk({ agentId, seed }), {
      set: { failedAt: new Date().toISOString() },
      if: 'attribute_exists(pk)',
    }),
  )
}

/** Returns the public form of a message. */
export function toChatMessage(row: MessageRow): ChatMessage {
  const { id, agentId, sender, content, timestamp, platform, cancelled, reason } = row
  const base = { id, agentId, sender, content, timestamp, platform }
  return cancelled ? { ...base, cancelled, reason: reason ?? null } : base
}

import { decodeTime } from 'ulid'
import type * as z from 'zod'
import { newId } from '../platform/ids.ts'
import { commit, type Parts, Refused, tryCommit } from '../platform/table/commit.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { written } from '../platform/table/written.ts'
import { countWrite } from './message-count.ts'
import { topicWrite } from './topics.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'

/** A row holds 400 KB; a character takes at most three bytes of it. */
export const longestContent = 120_000

export type MessageRow = z.output<ReturnType<(typeof messageRows)['declared']['schema']>>

export type NewMessage = Omit<MessageRow, 'id' | 'timestamp'>

/**
 * Keeps one end of a turn, together with its day's count, so that figures need not read messages. With the same seed it
 * is the same message, however often it is kept.
 * @param input.seed a ULID: the message's place among the others, and its time
 * @param input.also what is written with it
 */
export async function keepMessage(
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
    timestamp: new Date(decodeTime(seed)).toISOString(),
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
  // It was kept before, and counted then.
  if (refusals !== undefined && refusals.message === undefined) throw new Refused(refusals)
  if (refusals !== undefined && also !== undefined) await commit(store, also)
  return shown(message)
}

/** Notes on a question that its turn has failed without a word. It may be gone with its agent, or its user. */
export async function noteFailure(
  store: UserStore,
  { agentId, seed }: { agentId: string; seed: string },
): Promise<void> {
  await written(
    store.update(messageRows.sk({ agentId, seed }), {
      set: { failedAt: new Date().toISOString() },
      if: 'attribute_exists(pk)',
    }),
  )
}

/** A message as its user is shown it. */
export function shown(row: MessageRow): ChatMessage {
  const { id, agentId, sender, content, timestamp, platform, cancelled, reason } = row
  const base = { id, agentId, sender, content, timestamp, platform }
  return cancelled ? { ...base, cancelled, reason: reason ?? null } : base
}

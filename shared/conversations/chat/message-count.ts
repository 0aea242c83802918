import type * as z from 'zod'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Write } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { messageCountRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'

export type MessageCount = z.output<ReturnType<(typeof messageCountRows)['declared']['schema']>>

/** Returns the write that counts a message, for the transaction that stores it. */
export function countWrite(
  store: UserStore,
  { agentId, sender, timestamp }: Pick<ChatMessage, 'agentId' | 'sender' | 'timestamp'>,
): Write {
  const date = timestamp.slice(0, 10)
  return store.write.update(messageCountRows.sk({ date, agentId }), {
    set: { date, agentId },
    add: { asked: sender === 'user' ? 1 : 0, replied: sender === 'agent' ? 1 : 0 },
  })
}

/** A sort key after all days. */
const end = messageCountRows.prefix({ date: '~' })

/** Returns a user's daily counts, newest first, or undefined if there are more than `limit`. */
export async function newestCounts(
  store: UserStore,
  limit: number,
): Promise<MessageCount[] | undefined> {
  const beginsWith = messageCountRows.prefix()
  const query = { beginsWith, descending: true, consistent: false, limit }
  const { items, next } = await store.query(query)
  return next === undefined ? items.map(messageCountRows.parse) : undefined
}

/**
 * Returns a user's daily counts, oldest first: days × agents rows, no matter how many messages exist.
 * @param since.from the first day, for example `2026-11-21`; absent for all days
 */
export async function messageCounts(
  store: UserStore,
  { from: date }: { from?: string } = {},
): Promise<MessageCount[]> {
  const between = [messageCountRows.prefix(date === undefined ? {} : { date }), end] as const
  const rows = await allItems((from) => store.query({ between, consistent: false, ...from }))
  return rows.map(messageCountRows.parse)
}

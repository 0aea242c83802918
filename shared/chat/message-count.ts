import type * as z from 'zod'
import { allItems } from '../platform/table/pages.ts'
import type { Write } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { messageCountRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'

export type MessageCount = z.output<ReturnType<(typeof messageCountRows)['declared']['schema']>>

/** Counts a message, as a part of the transaction that keeps it. */
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

/** A user's counts of all days, oldest first: days × agents rows, however many messages. */
export async function messageCounts(store: UserStore): Promise<MessageCount[]> {
  const beginsWith = messageCountRows.prefix()
  const rows = await allItems((from) => store.query({ beginsWith, consistent: false, ...from }))
  return rows.map(messageCountRows.parse)
}

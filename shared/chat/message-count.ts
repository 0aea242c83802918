import { allItems } from '../platform/table/pages.ts'
import type { Write } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import type { ChatMessage } from './schema.ts'

/** How many messages a user and one agent exchanged on one day, in UTC. */
export interface MessageCount {
  date: string
  agentId: string
  /** What the user sent. */
  asked: number
  /** What the agent sent. */
  replied: number
}

export type CountedMessage = Pick<ChatMessage, 'agentId' | 'sender' | 'timestamp'>

const prefix = 'messages#'

/** Counts a message, as a part of the transaction that keeps it. */
export function countWrite(
  store: UserStore,
  { agentId, sender, timestamp }: CountedMessage,
): Write {
  const date = timestamp.slice(0, 10)
  return store.write.update(`${prefix}${date}#${agentId}`, {
    set: { date, agentId },
    add: { asked: sender === 'user' ? 1 : 0, replied: sender === 'agent' ? 1 : 0 },
  })
}

/** A user's counts of all days, oldest first: days × agents rows, however many messages; they outlive their agent. */
export async function messageCounts(store: UserStore): Promise<MessageCount[]> {
  const rows = await allItems((from) =>
    store.query({ beginsWith: prefix, consistent: false, ...from }),
  )
  return rows.map(({ date, agentId, asked, replied }) => ({
    date: String(date),
    agentId: String(agentId),
    asked: Number(asked),
    replied: Number(replied),
  }))
}

import type { Agent } from '../agents/agent.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { messageCounts } from './message-count.ts'
import { listMessages } from './message.ts'
import type { ChatMessage } from './schema.ts'

/** A page of an agent's messages, the newest first, and how many there are. */
export async function messagePage(
  table: Table,
  userId: string,
  { id }: Pick<Agent, 'id'>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ messages: ChatMessage[]; total: number }> {
  const store = userStore(table, userId)
  const counts = await messageCounts(store)
  const total = counts
    .filter(({ agentId }) => agentId === id)
    .reduce((sum, { asked, replied }) => sum + asked + replied, 0)
  if (offset >= total || limit === 0) return { messages: [], total }
  const page = await listMessages(store, id, limit, offset)
  return { messages: page.toReversed(), total }
}

import type { Agent } from '../agents/agent.ts'
import type { UserContext } from '../identity/context.ts'
import { userStore } from '../platform/table/user-store.ts'
import { messageTotal } from './message-total.ts'
import { listMessages } from './message.ts'
import type { ChatMessage } from './schema.ts'

/** Lambda takes 6 MB of an answer, as JSON within JSON. */
const mostBytes = 5_500_000

/**
 * A page of an agent's messages, the newest first, and how many there are. Where they are long the page ends before
 * its limit: the next begins after as many as came.
 */
export async function messagePage(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { agent: { id }, limit, offset }: { agent: Pick<Agent, 'id'>; limit: number; offset: number },
): Promise<{ messages: ChatMessage[]; total: number }> {
  const store = userStore(table, actor.user.id)
  const { asked, replied } = await messageTotal(store, { agentId: id })
  const total = asked + replied
  if (offset >= total || limit === 0) return { messages: [], total }
  const page = await listMessages(store, { agentId: id, limit, skip: offset })
  return { messages: fitting(page.toReversed()), total }
}

function fitting(messages: readonly ChatMessage[]): ChatMessage[] {
  let bytes = 0
  const end = messages.findIndex((message) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(message)))
    return bytes > mostBytes
  })
  // One always fits: a row of the table has 400 KB.
  return end < 0 ? [...messages] : messages.slice(0, end)
}

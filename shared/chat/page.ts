import type { Agent } from '../agents/agent.ts'
import type { UserContext } from '../identity/context.ts'
import { userStore } from '../platform/table/user-store.ts'
import { answerRoom } from './answer-room.ts'
import { messageTotal } from './message-total.ts'
import { listMessages } from './message.ts'
import type { ChatMessage } from './schema.ts'

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
  const hasRoom = answerRoom()
  const end = messages.findIndex((message) => !hasRoom(message))
  return end < 0 ? [...messages] : messages.slice(0, end)
}

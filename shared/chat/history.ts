import type { UserContext } from '../identity/context.ts'
import { userStore } from '../platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { conversationMessages } from './conversation.ts'
import { listMessages } from './message.ts'
import type { ChatMessage } from './schema.ts'

/**
 * The last messages between a user and an agent, or of one of their conversations, oldest first.
 * @throws PlatformError 404 for an agent that is not the user's
 */
export async function chatHistory(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  {
    agentId: named,
    topic,
    limit,
  }: { agentId?: string | undefined; topic?: string | undefined; limit: number },
): Promise<ChatMessage[]> {
  const userId = actor.user.id
  const agent = await chooseAgent({ table }, { userId, agentId: named })
  if (agent === undefined) return []
  const store = userStore(table, userId)
  const asked = { agentId: agent.id, limit }
  return topic === undefined
    ? listMessages(store, asked)
    : conversationMessages(store, { ...asked, topic })
}

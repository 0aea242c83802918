import type { UserContext } from '../identity/context.ts'
import type { ListPage, PageQuery } from '../platform/table/pages.ts'
import { userStore } from '../platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { messagesBefore } from './conversation.ts'
import type { ChatMessage } from './schema.ts'

interface HistoryQuery extends PageQuery {
  agentId?: string | undefined
  topic?: string | undefined
}

/**
 * The last messages between a user and an agent, or of one of their conversations, oldest first; by a cursor those before.
 * @throws PlatformError 404 for an agent that is not the user's, 400 for a cursor that no page has named
 */
export async function chatHistory(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  { agentId: named, ...query }: HistoryQuery,
): Promise<ListPage<ChatMessage>> {
  const userId = actor.user.id
  const agent = await chooseAgent({ table }, { userId, agentId: named })
  if (agent === undefined) return { items: [], next: undefined }
  return messagesBefore(userStore(table, userId), { ...query, agentId: agent.id })
}

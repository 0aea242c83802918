import type { UserContext } from '../identity/context.ts'
import { type ListPage, type PageQuery, unknownCursor } from '../platform/table/pages.ts'
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
  { agentId: named, cursor, ...query }: HistoryQuery,
): Promise<ListPage<ChatMessage>> {
  const userId = actor.user.id
  const place = cursor === undefined ? undefined : placeIn(cursor)
  const agent = await chooseAgent({ table }, { userId, agentId: named ?? place?.agentId })
  if (agent === undefined) return { items: [], next: undefined }
  const { id: agentId } = agent
  if (place !== undefined && place.agentId !== agentId) throw unknownCursor()
  const asked = { ...query, agentId, cursor: place?.rest }
  const { items, next } = await messagesBefore(userStore(table, userId), asked)
  return { items, next: next && `${agentId}-${next}` }
}

/** A cursor names its agent: which one is meant where none is named may change between two pages. */
function placeIn(cursor: string): { agentId: string; rest: string } {
  const [, agentId, rest] = /^(\w+)-(.+)$/.exec(cursor) ?? []
  if (agentId === undefined || rest === undefined) throw unknownCursor()
  return { agentId, rest }
}

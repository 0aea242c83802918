import type { UserContext } from '#shared/platform/identity/context.ts'
import { type ListPage, type PageQuery, unknownCursor } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { messagesBefore } from './conversation.ts'
import type { ChatMessage } from './schema.ts'

interface HistoryQuery extends PageQuery {
  agentId?: string | undefined
  topic?: string | undefined
}

/**
 * Returns the last messages between a user and an agent, or of one conversation, oldest first. With a cursor, returns
 * the messages before it.
 * @throws PlatformError 404 for another user's agent, 400 for an unknown cursor
 */
export async function chatHistory(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId: named, cursor, ...query }: HistoryQuery,
): Promise<ListPage<ChatMessage>> {
  const place = cursor === undefined ? undefined : placeIn(cursor)
  const agent = await chooseAgent({ table, owner }, { agentId: named ?? place?.agentId })
  if (agent === undefined) return { items: [], next: undefined }
  const { id: agentId } = agent
  if (place !== undefined && place.agentId !== agentId) throw unknownCursor()
  const search = { ...query, agentId, cursor: place?.rest }
  const { items, next } = await messagesBefore(userStore(table, owner), search)
  return { items, next: next && `${agentId}-${next}` }
}

/** Parses a cursor. It contains its agent, because the default agent may change between two pages. */
function placeIn(cursor: string): { agentId: string; rest: string } {
  const [, agentId, rest] = /^(\w+)-(.+)$/.exec(cursor) ?? []
  if (agentId === undefined || rest === undefined) throw unknownCursor()
  return { agentId, rest }
}

import {
  cursorAt,
  everyItem,
  fromCursor,
  type ListPage,
  type PageQuery,
} from '../platform/table/pages.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { answerRoom } from './answer-room.ts'
import { type MessageRow, shown } from './message.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'
import { defaultTopic } from './topics.ts'

/** Messages of all topics are kept in one order: so many of an agent's are looked through for one page of a topic. */
const mostLookedAt = 2000

interface ConversationQuery extends PageQuery {
  agentId: string
  /** One conversation's name, `default` for the one without; all that was said with the agent where it is absent. */
  topic?: string | undefined
}

/**
 * The last messages with an agent, or those before a cursor, oldest first; replies of one conversation with the model that
 * gave them and its tokens. A page ends before its limit where its messages are long, or lie far apart.
 * @returns with the cursor of the page of those before them
 */
export async function messagesBefore(
  store: UserStore,
  { agentId, topic, limit, cursor }: ConversationQuery,
): Promise<ListPage<ChatMessage>> {
  const messages: ChatMessage[] = []
  const pageUntil = (next: string | undefined) => ({ items: messages.toReversed(), next })
  if (limit === 0) return pageUntil(undefined)
  const beginsWith = messageRows.prefix({ agentId })
  const start = fromCursor(store, beginsWith, cursor)
  const atOnce = topic === undefined ? limit + 1 : 200
  const rows = everyItem((from) =>
    store.query({ beginsWith, descending: true, limit: atOnce, ...start, ...from }),
  )
  const hasRoom = answerRoom()
  let looked = 0
  let at = cursor
  for await (const item of rows) {
    const message = said(messageRows.parse(item), topic)
    if (message !== undefined) {
      if (messages.length === limit || !hasRoom(message)) return pageUntil(at)
      messages.push(message)
    }
    at = cursorAt(beginsWith, item)
    looked++
    if (looked === mostLookedAt) return pageUntil(at)
  }
  return pageUntil(undefined)
}

/** A message as it is shown in a conversation; undefined where it belongs to another one. */
function said(row: MessageRow, topic: string | undefined): ChatMessage | undefined {
  if (topic === undefined) return shown(row)
  if ((row.topic ?? defaultTopic) !== topic) return undefined
  const { model = null, usage = null } = row
  return row.sender === 'agent' ? { ...shown(row), model, usage } : shown(row)
}

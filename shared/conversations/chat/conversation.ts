import {
  cursorAt,
  everyItem,
  fromCursor,
  type ListPage,
  type PageQuery,
} from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { answerRoom } from './answer-room.ts'
import { type MessageRow, toChatMessage } from './message.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'
import { defaultTopic } from './topics.ts'

/**
 * The maximum number of an agent's messages that are read for one page of a topic, because messages of all topics are
 * stored in one order.
 */
const maxRead = 2000

interface ConversationQuery extends PageQuery {
  agentId: string
  /** The topic; `default` for messages without one. Absent for all messages with the agent. */
  topic?: string | undefined
}

/**
 * Returns the last messages with an agent, or those before a cursor, oldest first. Replies of one conversation include
 * their model and tokens. A page ends before its limit if messages are long, or if few messages belong to the topic.
 * @returns the messages, and the cursor of the previous page
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
  const pageSize = topic === undefined ? limit + 1 : 200
  const rows = everyItem((from) =>
    store.query({ beginsWith, descending: true, limit: pageSize, ...start, ...from }),
  )
  const hasRoom = answerRoom()
  let looked = 0
  let at = cursor
  for await (const item of rows) {
    const message = viewIn(messageRows.parse(item), topic)
    if (message !== undefined) {
      if (messages.length === limit || !hasRoom(message)) return pageUntil(at)
      messages.push(message)
    }
    at = cursorAt(beginsWith, item)
    looked++
    if (looked === maxRead) return pageUntil(at)
  }
  return pageUntil(undefined)
}

/** Returns the public form of a message, or undefined if it belongs to another conversation. */
function viewIn(row: MessageRow, topic: string | undefined): ChatMessage | undefined {
  if (topic === undefined) return toChatMessage(row)
  if ((row.topic ?? defaultTopic) !== topic) return undefined
  const { model = null, usage = null } = row
  return row.sender === 'agent' ? { ...toChatMessage(row), model, usage } : toChatMessage(row)
}

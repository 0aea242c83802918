import type { Agent } from '#shared/agents/record/agent.ts'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { answerRoom } from './answer-room.ts'
import { messageTotal } from './message-total.ts'
import { toChatMessage } from './message.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'

/**
 * Returns a page of an agent's messages, newest first, and their total number. With long messages, a page ends before
 * its limit; the next one starts after the returned messages.
 */
export async function messagePage(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agent: { id }, limit, offset }: { agent: Pick<Agent, 'id'>; limit: number; offset: number },
): Promise<{ messages: ChatMessage[]; total: number }> {
  const store = userStore(table, owner)
  const { asked, replied } = await messageTotal(store, { agentId: id })
  const total = asked + replied
  const messages: ChatMessage[] = []
  if (offset >= total || limit === 0) return { messages, total }
  const beginsWith = messageRows.prefix({ agentId: id })
  const rows = everyItem((from) =>
    store.query({ beginsWith, descending: true, limit: offset + limit, ...from }),
  )
  const hasRoom = answerRoom()
  let skipped = 0
  for await (const item of rows) {
    if (skipped < offset) {
      skipped++
      continue
    }
    const message = toChatMessage(messageRows.parse(item))
    if (!hasRoom(message)) break
    messages.push(message)
    if (messages.length === limit) break
  }
  return { messages, total }
}

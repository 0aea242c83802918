import type { UserStore } from '../platform/table/user-store.ts'
import { shown } from './message.ts'
import { messageRows } from './rows.ts'
import type { ChatMessage } from './schema.ts'
import { defaultTopic } from './topics.ts'

/** Messages of all topics are kept in one order: so many of an agent's last ones are looked through for a topic. */
const mostLookedAt = 2000

/**
 * The last messages of one conversation with an agent, oldest first; replies with the model that gave them and its tokens.
 * @param input.topic the conversation's name; `default` is the one without
 */
export async function conversationMessages(
  store: UserStore,
  { agentId, topic, limit }: { agentId: string; topic: string; limit: number },
): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  let looked = 0
  let after = {}
  while (messages.length < limit && looked < mostLookedAt) {
    const beginsWith = messageRows.prefix({ agentId })
    const page = await store.query({ beginsWith, descending: true, limit: 200, ...after })
    looked += page.items.length
    for (const row of page.items.map((item) => messageRows.parse(item))) {
      if ((row.topic ?? defaultTopic) !== topic) continue
      const { model = null, usage = null } = row
      messages.push(row.sender === 'agent' ? { ...shown(row), model, usage } : shown(row))
    }
    if (page.next === undefined) break
    after = { after: page.next }
  }
  return messages.slice(0, limit).toReversed()
}

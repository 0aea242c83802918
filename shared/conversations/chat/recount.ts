import { allItems, everyItem } from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { messageCounts } from './message-count.ts'
import { deleteTotals } from './message-total.ts'
import type { MessageRow } from './message.ts'
import { messageCountRows, messageRows, topicRows } from './rows.ts'
import { defaultTopic, topicKey } from './topics.ts'

/** Sets the daily counts to the counts of these messages. */
export async function recountDays(
  store: UserStore,
  { agentId, messages }: { agentId: string; messages: readonly { row: MessageRow }[] },
): Promise<void> {
  const counts = new Map<string, { asked: number; replied: number }>()
  for (const { date, agentId: of } of await messageCounts(store))
    if (of === agentId) counts.set(date, { asked: 0, replied: 0 })
  for (const { row } of messages) {
    const date = row.timestamp.slice(0, 10)
    const count = counts.get(date) ?? { asked: 0, replied: 0 }
    if (row.sender === 'user') count.asked += 1
    else count.replied += 1
    counts.set(date, count)
  }
  for (const [date, count] of counts)
    await store.update(messageCountRows.sk({ date, agentId }), { set: { date, agentId, ...count } })
  await deleteTotals(store, { agentId })
}

/**
 * Sets the conversations with an agent to the topics of its messages.
 * @param input.messages all messages
 */
export async function recountTopics(
  store: UserStore,
  { agentId, messages }: { agentId: string; messages: AsyncIterable<MessageRow> | MessageRow[] },
): Promise<void> {
  const topics = new Map<string, { lastAt: string; messages: number }>()
  for await (const { topic = defaultTopic, timestamp: lastAt, platform } of messages)
    if (platform === 'web')
      topics.set(topic, { lastAt, messages: (topics.get(topic)?.messages ?? 0) + 1 })
  const beginsWith = topicRows.prefix({ agentId })
  const before = await allItems((from) => store.query({ beginsWith, ...from }))
  for (const item of before)
    if (!topics.has(topicRows.parse(item).topic)) await store.delete(item.sk)
  for (const [topic, counted] of topics)
    await store.put(topicKey({ agentId, topic }), topicRows.attributes({ topic, ...counted }))
}

/** Yields every stored message with an agent, oldest first. */
export async function* everyMessage(
  store: UserStore,
  { agentId }: { agentId: string },
): AsyncGenerator<MessageRow, void> {
  const beginsWith = messageRows.prefix({ agentId })
  const items = everyItem((from) => store.query({ beginsWith, consistent: true, ...from }))
  for await (const item of items) yield messageRows.parse(item)
}

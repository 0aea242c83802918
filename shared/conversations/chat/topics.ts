import type * as z from 'zod'
import type { UserContext } from '#shared/platform/identity/context.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import type { Write } from '#shared/platform/table/port.ts'
import { type UserStore, userStore } from '#shared/platform/table/user-store.ts'
import { chooseAgent } from './choose-agent.ts'
import { topicRows } from './rows.ts'
import type { ChatMessage, chatTopic } from './schema.ts'

/** The name of the default conversation, which agents receive too. */
export const defaultTopic = 'default'

/** The maximum number of listed conversations; older ones are omitted. */
const maxTopics = 200

/** Returns the sort key of a conversation. */
export function topicKey({ agentId, topic }: { agentId: string; topic: string }): string {
  return topicRows.sk({ agentId, topic: encodeURIComponent(topic.toWellFormed()) })
}

/**
 * Returns the write that counts a message for its conversation, for the transaction that stores the message. Undefined
 * if the message is not from the platform's own chat.
 */
export function topicWrite(
  store: UserStore,
  {
    agentId,
    topic = defaultTopic,
    timestamp: lastAt,
    platform,
  }: ChatMessage & { topic?: string | undefined },
): Write | undefined {
  if (platform !== 'web') return undefined
  return store.write.update(topicKey({ agentId, topic }), {
    set: { topic, lastAt },
    add: { messages: 1 },
  })
}

/**
 * Lists a user's conversations with one agent, latest first.
 * @throws PlatformError 404 for another user's agent
 */
export async function listTopics(
  { table, owner }: Pick<UserContext, 'table' | 'owner'>,
  { agentId: named }: { agentId?: string | undefined },
): Promise<z.input<ReturnType<typeof chatTopic>>[]> {
  const agent = await chooseAgent({ table, owner }, { agentId: named })
  if (agent === undefined) return []
  const beginsWith = topicRows.prefix({ agentId: agent.id })
  const store = userStore(table, owner)
  const items = await allItems((from) => store.query({ beginsWith, ...from }))
  return items
    .map((item) => topicRows.parse(item))
    .sort((a, b) => b.lastAt.localeCompare(a.lastAt))
    .slice(0, maxTopics)
}

import type { Agent } from '#shared/agents/record/agent.ts'
import type { Page } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import type { MessageRow } from './message.ts'
import { messageRows } from './rows.ts'

/** An earlier message, in the format for an agent. */
export interface EarlierMessage {
  role: 'user' | 'assistant'
  content: string
}

/** The limits of a resent history: the number of messages that are read, and of their characters. */
const reminded = { messages: 40, characters: 16_000 }

/** The number of messages that are read first. The newest reply is usually among them, so that no more are read. */
const newest = 4

/**
 * Returns a conversation's earlier messages, oldest first, for a new container: a container stores conversations on its
 * disk, which is lost with it. Returns an empty list if the last reply came from the current container, or if the turn
 * belongs to no conversation. Omits messages from before the last memory reset.
 */
export async function earlierMessages(
  store: UserStore,
  { id, generation, workspace }: Agent,
  { topic, alone }: { topic?: string | undefined; alone?: true },
): Promise<EarlierMessage[]> {
  if (generation <= 1 || alone === true) return []
  const resetAt = workspace?.resetAt ?? ''
  const messages: MessageRow[] = []
  for await (const row of newestMessages(store, { agentId: id })) {
    if (row.timestamp <= resetAt) break
    // The content is empty if a turn was cancelled before its first part.
    const counts = row.topic === topic && row.platform !== 'skill' && row.content !== ''
    // Omits unanswered questions: the turn failed, and the user may have retried it.
    if (!counts || (messages.length === 0 && row.sender !== 'agent')) continue
    if (messages.length === 0 && row.generation === generation) return []
    messages.push(row)
  }
  return toEarlierMessages(messages)
}

/** Yields the messages with an agent, newest first, up to the limit. The first few are read separately. */
async function* newestMessages(
  store: UserStore,
  { agentId }: { agentId: string },
): AsyncGenerator<MessageRow, void> {
  const query = { beginsWith: messageRows.prefix({ agentId }), descending: true }
  let read = 0
  let after: Page['next']
  do {
    const limit = read === 0 ? newest : reminded.messages - read
    const { items, next } = await store.query({ ...query, limit, ...(after && { after }) })
    yield* items.map(messageRows.parse)
    read += items.length
    after = next
  } while (after !== undefined && read < reminded.messages)
}

/** @param messages newest first */
function toEarlierMessages(messages: readonly MessageRow[]): EarlierMessage[] {
  let remaining = reminded.characters
  const earlier: EarlierMessage[] = []
  for (const { sender, content } of messages) {
    remaining -= content.length
    if (remaining < 0) break
    earlier.push({ role: sender === 'agent' ? 'assistant' : 'user', content })
  }
  return earlier.toReversed()
}

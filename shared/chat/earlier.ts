import type { Agent } from '../agents/agent.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import type { Page } from '../platform/table/port.ts'
import type { MessageRow } from './message.ts'
import { messageRows } from './rows.ts'

/** What the user or the agent said, as an agent is told of it. */
export interface Words {
  role: 'user' | 'assistant'
  content: string
}

/** How far back an agent is reminded: messages that are looked at, and characters of theirs. */
const reminded = { messages: 40, characters: 16_000 }

/** Most often the newest reply is among so many messages, and decides that nothing more is read. */
const newest = 4

/**
 * What was said in a conversation so far, oldest first, for an agent whose container cannot know: a container
 * remembers conversations on its disk, which is gone with it. Nothing where the last reply came from the present
 * container, or where the turn stands alone; and nothing that the agent was to forget.
 */
export async function earlierWords(
  store: UserStore,
  { id, generation, workspace }: Agent,
  { topic, alone }: { topic?: string | undefined; alone?: true },
): Promise<Words[]> {
  if (generation <= 1 || alone === true) return []
  const resetAt = workspace?.resetAt ?? ''
  const said: MessageRow[] = []
  for await (const row of newestMessages(store, { agentId: id })) {
    if (row.timestamp <= resetAt) break
    // Of a turn that was cancelled before a word was said.
    const counts = row.topic === topic && row.platform !== 'skill' && row.content !== ''
    // What was not answered was not said: the turn failed, and the user may have tried again.
    if (!counts || (said.length === 0 && row.sender !== 'agent')) continue
    if (said.length === 0 && row.generation === generation) return []
    said.push(row)
  }
  return asWords(said)
}

/** The messages with an agent that it may be reminded of, newest first; the first few are read by themselves. */
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

/** @param said newest first */
function asWords(said: readonly MessageRow[]): Words[] {
  let left = reminded.characters
  const words: Words[] = []
  for (const { sender, content } of said) {
    left -= content.length
    if (left < 0) break
    words.push({ role: sender === 'agent' ? 'assistant' : 'user', content })
  }
  return words.toReversed()
}

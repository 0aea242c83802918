import type { Agent } from '../agents/agent.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import type { MessageRow } from './message.ts'
import { messageRows } from './rows.ts'

/** What the user or the agent said, as an agent is told of it. */
export interface Words {
  role: 'user' | 'assistant'
  content: string
}

/** How far back an agent is reminded: messages that are looked at, and characters of theirs. */
const reminded = { messages: 40, characters: 16_000 }

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
  const { items } = await store.query({
    beginsWith: messageRows.prefix({ agentId: id }),
    descending: true,
    limit: reminded.messages,
  })
  const resetAt = workspace?.resetAt ?? ''
  const said = items
    .map(messageRows.parse)
    .filter((row) => row.topic === topic && row.platform !== 'skill' && row.timestamp > resetAt)
    // Of a turn that was cancelled before a word was said.
    .filter((row) => row.content !== '')
  // What was not answered was not said: the turn failed, and the user may have tried again.
  const from = said.findIndex((row) => row.sender === 'agent')
  if (from < 0 || said[from]?.generation === generation) return []
  return asWords(said.slice(from))
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

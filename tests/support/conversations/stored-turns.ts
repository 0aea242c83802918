import { storeMessage } from '#shared/conversations/chat/message.ts'
import type { TokenUsage } from '#shared/conversations/chat/schema.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'

interface StoredTurn {
  agentId: string
  message: string
  /** Epoch milliseconds. */
  at: number
  topic?: string
  /** Absent if no answer came. */
  answer?: {
    content?: string
    /** Milliseconds after the question. */
    afterMs: number
    model?: string
    usage?: TokenUsage
    truncated?: true
  }
}

/**
 * Stores both messages of a turn as a chat does.
 * @returns the id of the question
 */
export async function storeTurn(
  table: Table,
  userId: string,
  { agentId, message, at, topic, answer }: StoredTurn,
): Promise<string> {
  const store = userStore(table, userId)
  const about = { agentId, platform: 'web', ...(topic !== undefined && { topic }) }
  const question = { ...about, sender: 'user' as const, content: message }
  const { id } = await storeMessage(store, { message: question, seed: newSeed(at) })
  if (answer !== undefined) {
    const { afterMs, content = 'Well.', ...rest } = answer
    const reply = { ...about, sender: 'agent' as const, content, ...rest }
    await storeMessage(store, { message: reply, seed: newSeed(at + afterMs) })
  }
  return id
}

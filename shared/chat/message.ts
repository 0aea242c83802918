import { decodeTime } from 'ulid'
import { newId } from '../platform/ids.ts'
import { TransactionFailed } from '../platform/table/port.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import { type CountedMessage, countWrite } from './message-count.ts'
import { type ChatMessage, chatMessage, type TokenUsage } from './schema.ts'

/** A row holds 400 KB; a character takes at most three bytes of it. */
export const longestContent = 120_000

export interface NewMessage {
  agentId: string
  sender: ChatMessage['sender']
  content: string
  topic: string | undefined
  /** Where the turn came from. */
  platform: string
  /** Of an agent's reply. */
  model?: string | null
  usage?: TokenUsage | null
  /** The reply broke off. */
  truncated?: true
  /** The start of the agent whose container took part in the turn. */
  generation?: number
}

export function messageKey(agentId: string, seed = ''): string {
  return `message#${agentId}#${seed}`
}

/**
 * Keeps one end of a turn. With the same seed it is the same message, however often it is kept.
 * @param seed a ULID: the message's place among the others, and its time
 */
export async function keepMessage(
  store: UserStore,
  { content, ...rest }: NewMessage,
  seed: string,
): Promise<ChatMessage> {
  const message = {
    ...rest,
    id: newId('message', seed),
    content: content.slice(0, longestContent).toWellFormed(),
    timestamp: new Date(decodeTime(seed)).toISOString(),
    ...(content.length > longestContent && { truncated: true }),
  }
  await keepOnce(store, messageKey(message.agentId, seed), message)
  return chatMessage.parse(message)
}

/** Together with its count, so that figures need not read messages. */
async function keepOnce(
  store: UserStore,
  key: string,
  message: CountedMessage & Record<string, unknown>,
): Promise<void> {
  const put = store.write.put(key, message, { if: 'attribute_not_exists(pk)' })
  try {
    await store.transact([put, countWrite(store, message)])
  } catch (error) {
    const kept = error instanceof TransactionFailed && error.refused(0)
    if (!kept) throw error
  }
}

/**
 * The last messages with an agent, oldest first.
 * @param skip how many of the newest are left out; they are passed over without being held
 */
export async function listMessages(
  store: UserStore,
  agentId: string,
  limit: number,
  skip = 0,
): Promise<ChatMessage[]> {
  if (limit === 0) return []
  const messages: ChatMessage[] = []
  let left = skip
  let after = {}
  // A page ends at 1 MB, which long messages reach before their number does.
  do {
    const page = await store.query({
      beginsWith: messageKey(agentId),
      descending: true,
      limit: left + limit - messages.length,
      ...after,
    })
    messages.push(...page.items.slice(left).map((item) => chatMessage.parse(item)))
    left = Math.max(0, left - page.items.length)
    if (page.next === undefined) break
    after = { after: page.next }
  } while (messages.length < limit)
  return messages.toReversed()
}

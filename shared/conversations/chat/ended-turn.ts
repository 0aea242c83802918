import type { Turn } from '#shared/ai/turns/rows.ts'
import { nameOf } from '#shared/ai/turns/turn.ts'
import { notFound } from '#shared/platform/errors.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'

/**
 * Returns the whole answer of a finished turn from the history.
 * @throws PlatformError 404 if the history no longer has it
 */
export async function answerOf(store: UserStore, turn: Turn): Promise<ChatAnswer> {
  const { agentId, answer: seed } = turn
  if (seed === undefined) throw notFound('Turn')
  const [question, answer] = await Promise.all([
    store.get(messageRows.sk({ agentId, seed: nameOf(turn.id).toUpperCase() })),
    store.get(messageRows.sk({ agentId, seed })),
  ])
  if (question === undefined || answer === undefined) throw notFound('Turn')
  const { content: message } = messageRows.parse(question)
  const { id, content: reply, model = null, usage = null, timestamp } = messageRows.parse(answer)
  return { id, agentId, message, reply, model, usage, timestamp }
}

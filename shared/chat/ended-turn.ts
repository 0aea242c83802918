import { notFound } from '../platform/errors.ts'
import type { UserStore } from '../platform/table/user-store.ts'
import type { Turn } from '../turns/rows.ts'
import { nameOf } from '../turns/turn.ts'
import { messageRows } from './rows.ts'
import type { ChatAnswer } from './schema.ts'

/** The whole answer of a turn that has finished, from the history. @throws PlatformError 404 where that is gone */
export async function answerOf(store: UserStore, turn: Turn): Promise<ChatAnswer> {
  const { agentId, answer: seed } = turn
  if (seed === undefined) throw notFound('Turn')
  const [asked, said] = await Promise.all([
    store.get(messageRows.sk({ agentId, seed: nameOf(turn.id).toUpperCase() })),
    store.get(messageRows.sk({ agentId, seed })),
  ])
  if (asked === undefined || said === undefined) throw notFound('Turn')
  const { content: message } = messageRows.parse(asked)
  const { id, content: reply, model = null, usage = null, timestamp } = messageRows.parse(said)
  return { id, agentId, message, reply, model, usage, timestamp }
}

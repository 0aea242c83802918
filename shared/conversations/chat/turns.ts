import { everyItem } from '#shared/platform/table/pages.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'
import { longestContent, type MessageRow } from './message.ts'
import { messageCountRows, messageRows } from './rows.ts'
import type { TokenUsage } from './schema.ts'

/** A question to an agent, with its answer if it is known. */
export interface ChatTurn {
  /** The question's id. Ids sort by time. */
  id: string
  agentId: string
  question: string
  /** ISO 8601. */
  askedAt: string
  /** ISO 8601; set if the turn failed before its first part. Null otherwise, even if its process was killed. */
  failedAt: string | null
  /** Null if no answer is stored, because the turn is in progress or has failed. */
  answer: {
    model: string | null
    usage: TokenUsage | null
    /** ISO 8601. */
    at: string
    brokeOff: boolean
  } | null
}

interface TurnQuery {
  /** The user's existing agents, with their creation times (ISO 8601). */
  agents: readonly { id: string; createdAt: string }[]
  most: number
}

/**
 * Returns the last turns with a user's agents, newest first. The daily counts show which agents had turns last, so that
 * only their messages are read: one query of counts, then one query per agent concurrently, and more if pages are full.
 */
export async function lastTurns(
  store: UserStore,
  { agents, most }: TurnQuery,
): Promise<readonly ChatTurn[]> {
  const asked = await askedLast(store, { agents, most })
  const turns = await Promise.all(
    [...asked].map(([agentId, count]) => turnsWith(store, agentId, Math.min(count, most))),
  )
  return turns
    .flat()
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, most)
}

/** Returns the number of questions per agent on the last days, going back until the total is `most`. */
async function askedLast(
  store: UserStore,
  { agents, most }: TurnQuery,
): Promise<ReadonlyMap<string, number>> {
  const asked = new Map<string, number>()
  const living = new Set(agents.map(({ id }) => id))
  const oldest = agents.map(({ createdAt }) => createdAt.slice(0, 10)).sort()[0]
  if (oldest === undefined) return asked
  // The earliest day is the creation of the first agent. Counts of deleted agents are skipped.
  const between = [
    messageCountRows.prefix({ date: oldest }),
    messageCountRows.prefix({ date: '~' }),
  ]
  const [from, to] = between as [string, string]
  const counts = everyItem((page) =>
    store.query({
      between: [from, to],
      descending: true,
      consistent: false,
      limit: countsPerPage,
      ...page,
    }),
  )
  let sum = 0
  let day = ''
  for await (const item of counts) {
    const count = messageCountRows.parse(item)
    if (sum >= most && count.date !== day) break
    day = count.date
    if (count.asked === 0 || !living.has(count.agentId)) continue
    asked.set(count.agentId, (asked.get(count.agentId) ?? 0) + count.asked)
    sum += count.asked
  }
  return asked
}

/** The number of count rows per page. A day has one row for each agent with questions. */
const countsPerPage = 100

/** Returns the last `most` turns with one agent, newest first. */
async function turnsWith(store: UserStore, agentId: string, most: number): Promise<ChatTurn[]> {
  const turns: ChatTurn[] = []
  const answers = new Map<string, MessageRow[]>()
  const messages = everyItem((page) =>
    store.query({
      beginsWith: messageRows.prefix({ agentId }),
      descending: true,
      consistent: false,
      // A question and its answer.
      limit: 2 * most,
      ...page,
    }),
  )
  for await (const item of messages) {
    const message = messageRows.parse(item)
    // Within one conversation, answers have the order of their questions.
    const conversation = `${message.platform} ${message.topic ?? ''}`
    const waiting = answers.get(conversation) ?? []
    if (message.sender === 'agent') {
      answers.set(conversation, [...waiting, message])
      continue
    }
    turns.push(toTurn(message, waiting.shift()))
    if (turns.length === most) break
  }
  return turns
}

function toTurn(question: MessageRow, answer: MessageRow | undefined): ChatTurn {
  return {
    id: question.id,
    agentId: question.agentId,
    question: question.content,
    askedAt: question.timestamp,
    failedAt: answer === undefined ? (question.failedAt ?? null) : null,
    answer:
      answer === undefined
        ? null
        : {
            model: answer.model ?? null,
            usage: answer.usage ?? null,
            at: answer.timestamp,
            // An answer that was truncated only because of the size of a row is complete.
            brokeOff: answer.truncated === true && answer.content.length < longestContent,
          },
  }
}

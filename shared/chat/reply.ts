import { type AgentRequest, type AgentTimeouts, requestAgent } from '../agent-gateway/request.ts'
import type { RunningAgent } from '../agents/running.ts'
import type { Table } from '../platform/table/port.ts'
import { reasonOf } from './overtaken.ts'
import { readAnswer } from './read-answer.ts'
import type { ChatMessage, TokenUsage } from './schema.ts'

/** What an agent has said of its reply so far. */
export interface Reply {
  content: string
  model: string | null
  usage: TokenUsage | null
}

export interface Question {
  agent: RunningAgent
  call: AgentRequest
  timeouts: AgentTimeouts
  /** Whether the turn was told to end: then what was said is kept, be it nothing. */
  isCancelled: () => boolean
  /** Keeps the reply: once, whole or broken off. */
  keep(reply: Reply, state: 'whole' | 'truncated'): Promise<ChatMessage>
  /** Notes that there will be no word of a reply. */
  noteFailure(): Promise<void>
}

/**
 * Asks an agent and passes its reply on piece by piece; then the reply is kept. Of one that breaks off, also because
 * the reader leaves, what was said is kept, or that nothing was.
 * @throws PlatformError as converse does
 */
export async function* askForReply(
  { table }: { table: Table },
  { agent, call, timeouts, isCancelled, keep, noteFailure }: Question,
): AsyncGenerator<{ delta: string }, Reply & Pick<ChatMessage, 'id' | 'timestamp'>> {
  const reply: Reply = { content: '', model: null, usage: null }
  let whole = false
  try {
    for await (const part of readAnswer(await requestAgent(call, timeouts))) {
      reply.model = part.model ?? reply.model
      reply.usage = part.usage ?? reply.usage
      if (part.content === '') continue
      reply.content += part.content
      yield { delta: part.content }
    }
    whole = true
  } catch (error) {
    throw reply.content === '' ? await reasonOf(error, table, agent) : error
  } finally {
    if (!whole) {
      const isKept = reply.content !== '' || isCancelled()
      await (isKept ? keep(reply, 'truncated') : noteFailure())
    }
  }
  const { id, timestamp } = await keep(reply, 'whole')
  return { ...reply, id, timestamp }
}

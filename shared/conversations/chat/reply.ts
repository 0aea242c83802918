import {
  type AgentRequest,
  type AgentTimeouts,
  requestAgent,
} from '#shared/agents/agent-gateway/request.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { readAgent } from '#shared/agents/record/find.ts'
import { stoppedByOperator } from '#shared/agents/record/permit.ts'
import { type RunningAgent, isRunning } from '#shared/agents/record/running.ts'
import { notFound, PlatformError } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { readAnswer } from './read-answer.ts'
import type { ChatMessage, TokenUsage } from './schema.ts'

/** The reply so far. */
export interface Reply {
  content: string
  model: string | null
  usage: TokenUsage | null
}

export interface ReplyRequest {
  agent: RunningAgent
  call: AgentRequest
  timeouts: AgentTimeouts
  /** Reports whether the turn was cancelled. Its reply is then stored even if it is empty. */
  isCancelled: () => boolean
  /** Stores the reply once, whole or truncated. */
  keep(reply: Reply, state: 'whole' | 'truncated'): Promise<ChatMessage>
  /** Records that the turn failed without a reply. */
  noteFailure(): Promise<void>
}

/**
 * Sends the question and yields the reply in parts; then the reply is stored. An interrupted reply, even after the
 * reader disconnects, is stored as far as it was received; without content, the failure is recorded.
 * @throws PlatformError as converse
 */
export async function* askForReply(
  { table }: { table: Table },
  { agent, call, timeouts, isCancelled, keep, noteFailure }: ReplyRequest,
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

/**
 * Returns the reason why a turn failed before its first part. An agent that is stopped, replaced or deleted in the
 * meantime returns other errors, such as an invalid key; the caller needs the agent's state instead.
 * @returns 409 AGENT_NOT_RUNNING, STOPPED_BY_OPERATOR or 404 if the agent's state is the cause, otherwise the failure
 * itself
 */
async function reasonOf(failure: unknown, table: Table, agent: Agent): Promise<unknown> {
  if (!(failure instanceof PlatformError && failure.kind === 'bad-gateway')) return failure
  const current = await readAgent(table, { userId: agent.userId, agentId: agent.id })
  if (current === undefined || current.deleting) return notFound('Agent')
  if (isRunning(current) && current.generation === agent.generation) return failure
  if (current.stoppedByOperator) return stoppedByOperator(current)
  return new PlatformError('conflict', 'The agent was stopped or restarted in the meantime', {
    code: 'AGENT_NOT_RUNNING',
    details: { status: current.status },
    cause: failure,
  })
}

import { profileKey, toUser } from '../accounts/user.ts'
import type { Agent } from '../agents/agent.ts'
import type { PlatformError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Queues } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { userStore } from '../platform/table/user-store.ts'
import { attribute, scopeName } from '../spans/conventions.ts'
import { inputMessages, outputMessage } from '../spans/messages.ts'
import { recordSpans, type Telemetry } from '../spans/record.ts'
import { newSpanId, spanOf, traceFrom, traceparentOf } from '../spans/span.ts'
import { tracestateOf } from '../turns/cost.ts'
import type { Reply } from './reply.ts'
import type { TurnRequest } from './turn-request.ts'

interface TraceContext {
  table: Table
  queues: Queues<'telemetry'>
  log: Log
  userId: string
  request?: Request
}

/** How a turn ended, as its caller sees it. */
type TurnOutcome = { answer: Reply } | { failure: Pick<PlatformError, 'message' | 'code'> }

/** What a user's collector is told of a turn: a span above those of what the agent does in it. */
export interface TurnTrace {
  /** What the agent is told, and tells in turn where it asks models. */
  traceparent: string
  /** Likewise: by it their cost is the turn's. */
  tracestate: string
  /** Sends the span where its user has a collector, once: of several ends the first counts. Never throws. */
  end(agent: Pick<Agent, 'id' | 'name'>, outcome: TurnOutcome): Promise<void>
}

/** Begins the span of a turn, in the trace of its caller's request where that names one. */
export function traceTurn(
  ctx: TraceContext,
  { id: turnId, request }: { id: string; request: TurnRequest },
): TurnTrace {
  const { message, topic = 'default', alone, instructions } = request
  const trace = traceFrom(ctx.request?.headers.get('traceparent') ?? null)
  const spanId = newSpanId()
  const start = Date.now()
  const wanted = telemetryOf(ctx)

  let ended = false
  return {
    traceparent: traceparentOf({ ...trace, spanId }),
    tracestate: tracestateOf(turnId),
    async end({ id, name }, outcome) {
      const telemetry = await wanted
      if (telemetry === undefined || ended) return
      ended = true
      const asked = [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: message },
      ]
      const attributes = {
        [attribute.provider]: scopeName,
        [attribute.agentId]: id,
        [attribute.agentName]: name,
        ...(alone !== true && { [attribute.conversationId]: topic }),
        ...(telemetry.content && inputMessages(asked)),
        ...outcomeOf(outcome, telemetry),
      }
      const span = spanOf('invoke_agent', {
        ...trace,
        spanId,
        of: name,
        start,
        end: Date.now(),
        attributes,
        ...('failure' in outcome && { error: outcome.failure.message }),
      })
      await recordSpans(ctx, ctx.userId, [span])
    },
  }
}

function outcomeOf(outcome: TurnOutcome, { content }: Telemetry) {
  if ('failure' in outcome) return { [attribute.errorType]: outcome.failure.code ?? 'failed' }
  const { model, usage, content: said } = outcome.answer
  return {
    ...(model !== null && { [attribute.responseModel]: model }),
    ...(usage !== null && {
      [attribute.inputTokens]: usage.prompt_tokens,
      [attribute.outputTokens]: usage.completion_tokens,
    }),
    ...(content && outputMessage({ role: 'assistant', content: said }, 'stop')),
  }
}

/** What a user wants told; read beside the turn, whose end does not wait for it. */
async function telemetryOf({ table, userId, log }: TraceContext): Promise<Telemetry | undefined> {
  try {
    const row = await userStore(table, userId).get(profileKey)
    return row && toUser(row).telemetry
  } catch (error) {
    log.warn('a turn is not traced', { error })
    return undefined
  }
}

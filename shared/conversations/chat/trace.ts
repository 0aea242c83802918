import { profileKey, toUser } from '#shared/accounts/users/user.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { tracestateOf } from '#shared/ai/turns/cost.ts'
import type { PlatformError } from '#shared/platform/errors.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { attribute, scopeName } from '#shared/signals/spans/conventions.ts'
import { inputMessages, outputMessage } from '#shared/signals/spans/messages.ts'
import { recordSpans, type Telemetry } from '#shared/signals/spans/record.ts'
import { newSpanId, spanOf, traceFrom, traceparentOf } from '#shared/signals/spans/span.ts'
import type { Reply } from './reply.ts'
import type { TurnRequest } from './turn-request.ts'

/** The outcome of a turn for its caller. */
type TurnOutcome = { answer: Reply } | { failure: Pick<PlatformError, 'message' | 'code'> }

/** The span of a turn for the user's collector. The spans of the agent's work are its children. */
export interface TurnTrace {
  /** The header for the agent, which forwards it with its requests to models. */
  traceparent: string
  /** The header that the agent also forwards, so that the cost of these requests is added to the turn. */
  tracestate: string
  /** Sends the span, if the user has a collector. Later calls do nothing. Never throws. */
  end(agent: Pick<Agent, 'id' | 'name'>, outcome: TurnOutcome): Promise<void>
}

/** Starts the span of a turn, in the trace of the caller's request if it has one. */
export function traceTurn(
  ctx: Pick<Context, 'table' | 'log'> & Sends<'telemetry'> & { owner: string; request?: Request },
  {
    id: turnId,
    request,
    hasLimitedKey,
  }: { id: string; request: TurnRequest; hasLimitedKey: boolean },
): TurnTrace {
  const { message, topic = 'default', alone, instructions } = request
  const trace = traceFrom(ctx.request?.headers.get('traceparent') ?? null)
  const spanId = newSpanId()
  const start = Date.now()
  const wanted = telemetryOf(ctx)

  let ended = false
  return {
    traceparent: traceparentOf({ ...trace, spanId }),
    tracestate: tracestateOf(turnId, hasLimitedKey),
    async end({ id, name }, outcome) {
      const telemetry = await wanted
      if (telemetry === undefined || ended) return
      ended = true
      const input = [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: message },
      ]
      const attributes = {
        [attribute.provider]: scopeName,
        [attribute.agentId]: id,
        [attribute.agentName]: name,
        ...(alone !== true && { [attribute.conversationId]: topic }),
        ...(telemetry.content && inputMessages(input)),
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
      await recordSpans(ctx, ctx.owner, [span])
    },
  }
}

function outcomeOf(outcome: TurnOutcome, { content }: Telemetry) {
  if ('failure' in outcome) return { [attribute.errorType]: outcome.failure.code ?? 'failed' }
  const { model, usage, content: reply } = outcome.answer
  return {
    ...(model !== null && { [attribute.responseModel]: model }),
    ...(usage !== null && {
      [attribute.inputTokens]: usage.prompt_tokens,
      [attribute.outputTokens]: usage.completion_tokens,
    }),
    ...(content && outputMessage({ role: 'assistant', content: reply }, 'stop')),
  }
}

/** Reads the user's telemetry settings concurrently with the turn, so that its end does not wait for them. */
async function telemetryOf({
  table,
  owner,
  log,
}: Pick<Context, 'table' | 'log'> & { owner: string }): Promise<Telemetry | undefined> {
  try {
    const row = await userStore(table, owner).get(profileKey)
    return row && toUser(row).telemetry
  } catch (error) {
    log.warn('a turn is not traced', { error })
    return undefined
  }
}

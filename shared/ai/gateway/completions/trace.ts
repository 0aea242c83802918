import type { CompletionEvent } from '#shared/ai/usage/event.ts'
import { attribute } from '#shared/signals/spans/conventions.ts'
import { inputMessages, outputMessage } from '#shared/signals/spans/messages.ts'
import { recordSpans } from '#shared/signals/spans/record.ts'
import { type Span, spanOf, type TraceContext, traceFrom } from '#shared/signals/spans/span.ts'
import type { Chunk, Completion } from '../answers/form.ts'
import type { Caller } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { Route } from '../providers/provider.ts'
import type { ModelCall } from './call.ts'
import { collectAnswer } from './collect.ts'

/** The maximum length of a model's id in a request. */
const longestModel = 200

type ServedCall = Pick<
  CompletionEvent,
  | 'cacheReadTokens'
  | 'cacheWriteTokens'
  | 'costUsd'
  | 'inputTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'success'
>

/** The spans of one call for a user's collector: one for each tried model. */
export interface CallTrace {
  /**
   * Records the error if a model does not answer.
   * @returns the result of `asking`
   */
  follow<T>(route: Route, asking: Promise<T>): Promise<T>
  see(part: Chunk | Completion): void
  /** Records the model that served. */
  served(event: ServedCall): void
  /** Sends the spans, once. Never throws. */
  send(): Promise<void>
}

/** @returns undefined for a caller without a collector */
export function traceCall(
  { spans: queues, log }: AiContext,
  {
    caller,
    messages,
    traceparent,
  }: { caller: Caller; messages: ModelCall['messages']; traceparent: string | null },
): CallTrace | undefined {
  const { telemetry, agentId, userId } = caller
  if (telemetry === undefined || queues === undefined) return undefined
  const trace: TraceContext = traceFrom(traceparent)
  const spans: Span[] = []
  const input = telemetry.content ? inputMessages(messages()) : {}
  const collector = collectAnswer()
  let answeredBy: string | undefined
  let last: Span | undefined
  let sent: Promise<void> | undefined

  function begin({ id, provider }: Route): Span {
    const span = spanOf('chat', {
      ...trace,
      of: id,
      start: Date.now(),
      end: Date.now(),
      attributes: {
        [attribute.provider]: provider.name,
        [attribute.requestModel]: id,
        ...(agentId !== null && { [attribute.agentId]: agentId }),
        ...input,
      },
    })
    spans.push(span)
    return span
  }

  return {
    async follow(route, asking) {
      const span = begin(route)
      last = span
      try {
        return await asking
      } catch (error) {
        span.end = Date.now()
        span.error = 'the model did not answer'
        span.attributes[attribute.errorType] = errorTypeOf(error)
        throw error
      }
    },
    see(part) {
      if (typeof part['model'] === 'string') answeredBy = part['model'].slice(0, longestModel)
      if (telemetry.content) collector.see(part)
    },
    served({ costUsd, inputTokens, outputTokens, success, ...parts }) {
      if (last === undefined) return
      const { cacheReadTokens, cacheWriteTokens, reasoningTokens } = parts
      last.end = Date.now()
      Object.assign(last.attributes, {
        ...(answeredBy !== undefined && { [attribute.responseModel]: answeredBy }),
        [attribute.inputTokens]: inputTokens,
        [attribute.outputTokens]: outputTokens,
        ...(cacheReadTokens !== undefined && { [attribute.cacheReadTokens]: cacheReadTokens }),
        ...(cacheWriteTokens !== undefined && { [attribute.cacheWriteTokens]: cacheWriteTokens }),
        ...(reasoningTokens !== undefined && { [attribute.reasoningTokens]: reasoningTokens }),
        ...(costUsd !== null && { [attribute.cost]: { double: costUsd } }),
        ...(telemetry.content && outputMessage(collector.message(), collector.finishReason)),
      })
      if (success) return
      last.error = 'the answer was interrupted'
      last.attributes[attribute.errorType] = 'interrupted'
    },
    send: () => (sent ??= recordSpans({ queues, log }, userId, spans)),
  }
}

/** An HTTP status, or `no_answer`. */
function errorTypeOf(error: unknown): string {
  const status = error instanceof UpstreamFailure ? error.status : null
  return status === null ? 'no_answer' : String(status)
}

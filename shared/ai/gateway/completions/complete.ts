import { runInBackground } from '#carrier'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Chunk, Completion } from '../answers/form.ts'
import { type Caller, requirePlan } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { priceOf } from '../cost.ts'
import { chooseModels, unlisted } from '../models/choose.ts'
import { isOpen, recordFailure } from '../providers/circuit.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import { recordRunOn } from '../providers/limit.ts'
import { withOwnKeys } from '../providers/own-keys.ts'
import type { Route } from '../providers/provider.ts'
import { combineRouting, readRouting } from '../routing/combine.ts'
import { orderRoutes } from '../routing/order.ts'
import { drawOf } from '../routing/session.ts'
import { withinPrice } from '../routing/within-price.ts'
import { promptTokens } from '../tokens.ts'
import type { TokenUsage, Units } from '../usage.ts'
import type { Attempt, EventWriter, ModelCall, StreamedAnswer, StreamEvent } from './call.ts'
import { callerDisconnected, type Waiting, watchDisconnect } from './disconnect.ts'
import { firstAnswer, wasRefused } from './fallback.ts'
import { hold, isCapped, type SizeAt, withTurnLimits } from './hold.ts'
import { answerLimit, noLimit } from './limit.ts'
import { createMeter, type Meter } from './meter.ts'
import { readOn } from './read-on.ts'
import { createSettlement } from './settle.ts'
import { traceCall } from './trace.ts'
import { type Truncation, truncateAt, truncateWhole } from './truncate.ts'

export interface CallInput<Answer> {
  caller: Caller
  /** Reads the body, after plan and subscription are checked. @throws PlatformError 400 */
  read(): ModelCall<Answer> | Promise<ModelCall<Answer>>
  /** Aborted when the caller disconnects. Then no other model is tried. */
  signal: AbortSignal
  /** True if a disconnect stops the answer immediately. Set for agents, which disconnect only to stop a turn. */
  stops?: boolean
  /** Called for bytes of a provider that are not passed on now: keep-alives, or a part of a whole answer. */
  onSilent?: (waiting: Waiting) => void
  /** Aborted when the whole call has taken too long, which also ends running requests. */
  deadline?: AbortSignal
  /** The caller's `x-routing` header, if any. */
  routing?: string | null
  /** The caller's `x-session-id` header, if any: the name of the conversation. */
  session?: string | null
  /** The path that was called, for the usage record. */
  endpoint: string
  /** The caller's `traceparent` header, if any. */
  traceparent?: string | null
  /** The caller's `tracestate` header, if any. The header of an agent contains its current turn. */
  tracestate?: string | null
}

/**
 * Call `settle` before the end of the answer is sent: it records the usage. Call `followed` after that. If the reader
 * of a stream disconnects, call `leave` instead: it reads the rest for its token count and settles. These functions
 * never throw.
 */
export type StartedCall<Answer> = WholeCall<Answer> | StreamedCall

interface Accounted {
  settle(): Promise<void>
  followed(): Promise<void>
}

export interface WholeCall<Answer> extends Accounted {
  kind: 'whole'
  answer: Answer
  provider: string
  usage: TokenUsage
}

export interface StreamedCall
  extends Accounted, Pick<EventWriter, 'closing' | 'failed'>, Pick<StreamedAnswer, 'contentType'> {
  kind: 'stream'
  events: AsyncGenerator<StreamEvent>
  leave(): Promise<void>
}

/**
 * Runs a call of a model: checks the caller, reserves tokens, tries one model after another and meters the answer. If
 * the caller leaves, the answer is read for ten more seconds for its token count, unless leaving is a stop.
 * @throws PlatformError 400, 402, 403, 404, 429, 502 and 503, as contract.md 5 orders them
 */
export async function complete<Answer>(
  context: AiContext,
  input: CallInput<Answer>,
): Promise<StartedCall<Answer>> {
  const { signal, deadline, stops = false, onSilent } = input
  const prepared = await begin(context, input)
  const { modelCall, limit, routes, routing, only, sizeAt, reservation, drawing } = prepared
  const meter = createMeter()
  const trace = traceCall(context, {
    ...input,
    messages: modelCall.messages,
    traceparent: input.traceparent ?? null,
  })
  const settlement = createSettlement(context, { ...input, reservation, drawing, meter, trace })
  const leaving = watchDisconnect({ signal, deadline, stops }, meter.stop)
  const { timeoutMs, log } = context
  const { stream } = modelCall
  const truncation = () => truncateAt(limit, modelCall.choices)
  const silent = onSilent && (() => onSilent({ stream, leave: leaving.leave }))
  const see = (part: Chunk | Completion, units?: Units) => {
    meter.see(part, units)
    trace?.see(part)
  }
  const ask = <T>(asks: (attempt: Attempt) => Promise<T>) => {
    const attempt = (route: Route): Promise<T> => {
      if (leaving.left) throw callerDisconnected()
      settlement.servedBy(route)
      // Loaded now, so that the record does not wait for the price.
      runInBackground(priceOf(context.catalogue, route))
      const size = sizeAt(route, limit.tokens)
      meter.expect(size, limit.isSent, modelCall.bound && size.outputTokens)
      const asking = asks({
        route,
        isFallback: route.id !== routes[0]?.id,
        limit,
        timeoutMs,
        signal: leaving.ends,
        silent,
        cut: truncation(),
      })
      return trace === undefined ? asking : trace.follow(route, asking)
    }
    // Ordered now, so that a provider that failed in the meantime is tried last.
    const draw = drawOf({ caller: input.caller, header: input.session ?? null, modelCall })
    return firstAnswer(orderRoutes(routes, { ...routing, isOpen, draw }), {
      log,
      signal,
      ask: attempt,
    })
  }
  const settle = () => {
    leaving.over()
    return settlement.settle()
  }
  const { followed } = settlement
  const ranOn = (route: Route) => {
    log.warn('a model wrote more than its limit', { model: route.id, limit: limit.tokens })
    recordRunOn(route)
  }
  try {
    if (!stream) {
      const { route, answer } = await ask((attempt) => modelCall.askWhole(attempt))
      const { completion, write, units } = answer
      see(completion, units)
      settlement.complete()
      const usage = meter.usage()
      const truncated = truncateWhole(completion, limit, usage)
      if (truncated !== completion) ranOn(route)
      return {
        kind: 'whole',
        answer: write(truncated, { model: route.id, usage, reported: completion.usage }),
        provider: route.provider.name,
        usage,
        settle,
        followed,
      }
    }
    const { route, answer } = await ask((attempt) => modelCall.askStream(attempt))
    const writer = answer.writer(route.id)
    const cut = truncation()
    const events = relay(answer.pieces, writer, {
      route,
      meter,
      see,
      cut,
      complete() {
        if (cut.over || meter.usage().kept !== undefined) ranOn(route)
        settlement.complete()
      },
    })
    const leave = () => {
      leaving.leave()
      return readOn(events).then(settle).then(followed)
    }
    const { closing, failed } = writer
    const { contentType } = answer
    return {
      kind: 'stream',
      events,
      ...(closing !== undefined && { closing }),
      ...(failed !== undefined && { failed }),
      ...(contentType !== undefined && { contentType }),
      settle,
      followed,
      leave,
    }
  } catch (error) {
    // The usage of an interrupted answer is recorded, but not the usage of a call whose caller gets an error.
    if (leaving.ends.aborted) await settle().then(followed)
    else await settlement.release()
    leaving.over()
    if (signal.aborted || deadline?.aborted === true) throw callerDisconnected()
    throw only !== undefined && wasRefused(error) ? unlisted(only, error) : error
  }
}

/** Everything before the first call of a model: the checks in their order, and the hold for the call's usage. */
async function begin<Answer>(context: AiContext, input: CallInput<Answer>) {
  const { read, tracestate } = input
  const plan = requirePlan(input.caller)
  const routing = combineRouting([
    readRouting(input.routing ?? null),
    input.caller.routing,
    context.planRouting?.[plan.name],
  ])
  const modelCall = await read()
  const caller = await withTurnLimits(context, input)
  const { model, tier, choices, maxTokens, prompt, refusal, fallsBack, bound } = modelCall
  const isLimited = plan.monthlyTokens !== null || isCapped(caller)
  const limit = bound === undefined ? answerLimit(maxTokens, isLimited) : noLimit
  const providers = await withOwnKeys(context, caller)
  const chosen = await chooseModels(
    { ...context, providers },
    { ...caller, plan, model, agent: caller.agentId !== null, tier, refusal, fallsBack },
  )
  const sizeAt: SizeAt =
    bound ??
    (({ id }, tokens) => ({
      inputTokens: promptTokens(prompt, id),
      outputTokens: tokens * choices,
    }))
  const routes = await withinPrice(context, {
    ...chosen,
    maxPriceUsd: routing.maxPriceUsd,
    inputTokens: (route) => sizeAt(route, 0).inputTokens,
  })
  const reserved = await hold(context, { caller, plan, routes, sizeAt, limit, tracestate })
  return { modelCall, routing, only: chosen.only, sizeAt, ...reserved }
}

interface Relayed {
  route: Route
  meter: Meter
  see: Meter['see']
  cut: Truncation
  complete: () => void
}

/** The events as they come, the usage last. @throws PlatformError if the model's stream is interrupted */
async function* relay(
  pieces: StreamedAnswer['pieces'],
  writer: EventWriter,
  { route, meter, see, cut, complete }: Relayed,
): AsyncGenerator<StreamEvent> {
  let reported: unknown
  try {
    for await (const piece of pieces) {
      const truncated = cut.take(piece.chunk)
      see(truncated)
      reported = truncated.usage ?? reported
      yield* writer.write(truncated, piece)
      // Leaving the loop ends the call.
      if (cut.over) break
    }
    complete()
    yield* writer.end({ model: route.id, usage: meter.usage(), reported })
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    recordFailure(route, error)
    throw new PlatformError('bad-gateway', `The model’s answer was interrupted: ${error.message}`, {
      code: 'AI_INTERRUPTED',
      cause: error,
    })
  }
}

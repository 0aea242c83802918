import { runInBackground } from '#carrier'
import { idPrefixes } from '#shared/manifest/ids.ts'
import type { TaskTier } from '#shared/money/plans/model-sets.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { newId } from '#shared/platform/ids.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { type Caller, requirePlan } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { priceOf } from '../cost.ts'
import { chooseModels, unlisted } from '../models/choose.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import {
  fieldsToTry,
  recordAccepted,
  recordRefusal,
  recordRunOn,
  runsOn,
  tryLimit,
} from '../providers/limit.ts'
import { withOwnKeys } from '../providers/own-keys.ts'
import type { Route } from '../providers/provider.ts'
import type { CompletionRequest } from '../request.ts'
import { promptTokens, sizeOfPrompt } from '../tokens.ts'
import { type TokenUsage, usageFor } from '../usage.ts'
import { callerDisconnected, type Waiting, watchDisconnect } from './disconnect.ts'
import { firstAnswer, wasRefused } from './fallback.ts'
import { hold, isCapped, type SizeAt } from './hold.ts'
import { type AnswerLimit, answerLimit, hasLimit, withLimit } from './limit.ts'
import { createMeter, type Meter } from './meter.ts'
import { askInPieces } from './pieces.ts'
import { readOn } from './read-on.ts'
import { createSettlement } from './settle.ts'
import { traceCall } from './trace.ts'
import { type Truncation, truncateAt, truncateWhole } from './truncate.ts'
import {
  askStream,
  askWhole,
  type Attempt,
  type UpstreamChunk,
  type UpstreamCompletion,
} from './upstream.ts'

export interface CompletionInput {
  caller: Caller
  /** Reads the body, after plan and subscription are checked. @throws PlatformError 400 */
  read(): {
    request: CompletionRequest
    tier?: TaskTier
    /** If the last chunk of a stream has the usage. Default: true. */
    tellUsage?: boolean
  }
  /** Aborted when the caller disconnects. Then no other model is tried. */
  signal: AbortSignal
  /** True if a disconnect stops the answer immediately, as for agents: they disconnect only to stop a turn. */
  stops?: boolean
  /** Called for bytes of a provider that are not passed on now: keep-alives, or a part of a whole answer. */
  onSilent?: (waiting: Waiting) => void
  /** Aborted when the whole call has taken too long, which also ends running requests. */
  deadline?: AbortSignal
  /** The path that was called, for the usage record. */
  endpoint: string
  /** The caller's `traceparent` header, if any. */
  traceparent?: string | null
  /** The caller's `tracestate` header, if any. An agent's names its current turn. */
  tracestate?: string | null
}

/** OpenAI's format. Other fields of a provider are left out. */
interface Answer extends Record<string, unknown> {
  id: string
  /** The model that served, by its routing id. */
  model: string
  choices: UpstreamCompletion['choices']
}

/**
 * Call `settle` before the end of the answer is sent: it records the usage. Call `followed` after that. If the reader
 * of a stream disconnects, call `leave` instead: it reads the rest for its token count and settles. These functions
 * never throw.
 */
export type StartedCompletion = {
  settle(): Promise<void>
  followed(): Promise<void>
} & (
  | { kind: 'whole'; answer: Answer; provider: string; usage: TokenUsage }
  | {
      kind: 'stream'
      chunks: AsyncGenerator<Record<string, unknown>>
      leave(): Promise<void>
    }
)

/**
 * Runs a chat completion: checks the caller, reserves tokens, tries one model after another and meters the answer. If
 * the caller leaves, the answer is read for ten more seconds for its token count, unless leaving is a stop.
 * @throws PlatformError 400, 402, 403, 404, 429, 502 and 503, as contract.md 5 orders them
 */
export async function complete(
  context: AiContext,
  input: CompletionInput,
): Promise<StartedCompletion> {
  const { signal, deadline, stops = false, onSilent } = input
  const prepared = await begin(context, input)
  const { request, tellUsage, limit, routes, only, sizeAt, reservation, drawing } = prepared
  const meter = createMeter()
  const trace = traceCall(context, { ...input, request, traceparent: input.traceparent ?? null })
  const settlement = createSettlement(context, { ...input, reservation, drawing, meter, trace })
  const leaving = watchDisconnect({ signal, deadline, stops }, meter.stop)
  const { timeoutMs, log } = context
  const choices = request.n ?? 1
  const waiting = { stream: request.stream === true, leave: leaving.leave }
  const silent = onSilent && (() => onSilent(waiting))
  const see = (part: UpstreamChunk | UpstreamCompletion) => {
    meter.see(part)
    trace?.see(part)
  }
  const ask = <T>(asks: (attempt: Attempt) => Promise<T>) => {
    const attempt = (route: Route): Promise<T> => {
      if (leaving.left) throw callerDisconnected()
      settlement.servedBy(route)
      // The price is needed only at the end. It is loaded now, so that the record does not wait for it.
      runInBackground(priceOf(context.catalogue, route))
      meter.expect(sizeAt(route, limit.tokens), limit.isSent)
      const asking = asksWithLimit(route, { request, limit }, (limited) =>
        asks({ route, request: limited, timeoutMs, signal: leaving.ends, silent }),
      )
      return trace === undefined ? asking : trace.follow(route, asking)
    }
    return firstAnswer(routes, { log, signal, ask: attempt })
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
    if (!waiting.stream) {
      const { route, answer } = await ask((attempt) =>
        limit.isSent && (runsOn(attempt.route) || !hasLimit(attempt.request))
          ? askInPieces(attempt, truncateAt(limit, choices))
          : askWhole(attempt),
      )
      see(answer)
      settlement.complete()
      const usage = meter.usage()
      const truncated = truncateWhole(answer, limit, usage)
      if (truncated !== answer) ranOn(route)
      return {
        kind: 'whole',
        answer: withModel(truncated, route.id, usage),
        provider: route.provider.name,
        usage,
        settle,
        followed,
      }
    }
    const { route, answer } = await ask(askStream)
    const cut = truncateAt(limit, choices)
    const chunks = relay(answer, route.id, {
      meter,
      see,
      cut,
      tellUsage,
      complete() {
        if (cut.over || meter.usage().kept !== undefined) ranOn(route)
        settlement.complete()
      },
    })
    const leave = () => {
      leaving.leave()
      return readOn(chunks).then(settle).then(followed)
    }
    return { kind: 'stream', chunks, settle, followed, leave }
  } catch (error) {
    // An interrupted answer has made a model work, but a caller that gets an error was not served.
    if (leaving.ends.aborted) await settle().then(followed)
    else await settlement.release()
    leaving.over()
    if (signal.aborted || deadline?.aborted === true) throw callerDisconnected()
    throw only !== undefined && wasRefused(error) ? unlisted(only, error) : error
  }
}

/** Everything before the first call of a model: the checks in their order, and the hold for the call's usage. */
async function begin(context: AiContext, { caller, read, tracestate }: CompletionInput) {
  const plan = requirePlan(caller)
  const { request, tier, tellUsage = true } = read()
  const limit = answerLimit(request, plan.monthlyTokens !== null || isCapped(caller))
  const providers = await withOwnKeys(context, caller)
  const { routes, only } = await chooseModels(
    { ...context, providers },
    { plan, model: request.model ?? undefined, agent: caller.agentId !== null, tier },
  )
  const prompt = sizeOfPrompt(request)
  const sizeAt: SizeAt = ({ id }, tokens) => ({
    inputTokens: promptTokens(prompt, id),
    outputTokens: tokens * (request.n ?? 1),
  })
  const reserved = await hold(context, { caller, plan, routes, sizeAt, limit, tracestate })
  return { request, tellUsage, only, sizeAt, ...reserved }
}

/** Sends a request with the limit fields that the model accepts. Sends it again if the refusal names other fields. */
async function asksWithLimit<T>(
  route: Route,
  { request, limit }: { request: CompletionRequest; limit: AnswerLimit },
  ask: (limited: CompletionRequest) => Promise<T>,
): Promise<T> {
  const trial = tryLimit(route)
  for (;;) {
    const fields = limit.isSent ? fieldsToTry(route, trial) : []
    const tokens = limit.fromCaller ? limit.tokens : Math.min(limit.tokens, trial.most)
    try {
      const answer = await ask(withLimit(request, { ...limit, tokens }, fields))
      recordAccepted(route, trial)
      return answer
    } catch (error) {
      const limits = { fields, tokens, fromCaller: limit.fromCaller }
      if (!(error instanceof UpstreamFailure) || !recordRefusal(trial, error, limits)) throw error
    }
  }
}

function withModel(answer: UpstreamCompletion, model: string, usage: TokenUsage): Answer {
  return {
    ...answer,
    id: idOf(answer) ?? newId(idPrefixes.completion),
    created: createdOf(answer) ?? epochSeconds(),
    object: 'chat.completion',
    model,
    usage: usageFor(answer.usage, usage),
  }
}

interface Relayed {
  meter: Meter
  see: Meter['see']
  cut: Truncation
  tellUsage: boolean
  complete: () => void
}

/** The chunks as they come, the usage last. @throws PlatformError if the model's stream breaks off */
async function* relay(
  chunks: AsyncGenerator<UpstreamChunk>,
  model: string,
  { meter, see, cut, tellUsage, complete }: Relayed,
): AsyncGenerator<Record<string, unknown>> {
  const object = 'chat.completion.chunk'
  // All chunks get the same id and time if the provider sends none.
  let id: string | undefined
  let created: number | undefined
  let reported: unknown
  try {
    for await (const chunk of chunks) {
      const truncated = cut.take(chunk)
      see(truncated)
      const { usage, ...rest } = truncated
      reported = usage ?? reported
      if (rest.choices.length > 0) {
        id = idOf(rest) ?? id ?? newId(idPrefixes.completion)
        created = createdOf(rest) ?? created ?? epochSeconds()
        yield { ...rest, id, created, object, model }
      }
      // Leaving the loop ends the call.
      if (cut.over) break
    }
    complete()
    if (!tellUsage) return
    yield {
      id: id ?? newId(idPrefixes.completion),
      created: created ?? epochSeconds(),
      object,
      model,
      choices: [],
      usage: usageFor(reported, meter.usage()),
    }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    throw new PlatformError('bad-gateway', `The model broke off its answer: ${error.message}`, {
      code: 'AI_INTERRUPTED',
      cause: error,
    })
  }
}

/** Some providers send an empty text, or a number. */
function idOf({ id }: Record<string, unknown>): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** In epoch seconds; Azure's chunks of content filters have 0. */
function createdOf({ created }: Record<string, unknown>): number | undefined {
  return typeof created === 'number' && created > 0 ? Math.floor(created) : undefined
}

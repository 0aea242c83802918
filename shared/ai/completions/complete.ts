import { PlatformError } from '../../platform/errors.ts'
import { idPrefixes } from '../../manifest/ids.ts'
import { newId } from '../../platform/ids.ts'
import { type Caller, requirePlan } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { chooseModels, unlisted } from '../models/choose.ts'
import type { TaskTier } from '../models/tiers.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import { limitField } from '../providers/limit.ts'
import { withOwnKeys } from '../providers/own-keys.ts'
import type { Route } from '../providers/provider.ts'
import type { ChatRequest } from '../request.ts'
import { promptTokens, sizeOfPrompt } from '../tokens.ts'
import { type TokenUsage, writeUsage } from '../usage.ts'
import { firstAnswer, wasRefused } from './fallback.ts'
import { hold, isCapped, type SizeAt } from './hold.ts'
import { answerLimit, withLimit } from './limit.ts'
import { createMeter, type Meter } from './meter.ts'
import { readOn } from './read-on.ts'
import { createSettlement } from './settle.ts'
import { traceCall } from './trace.ts'
import { askStream, askWhole, type UpstreamChunk, type UpstreamCompletion } from './upstream.ts'

export interface CompletionInput {
  caller: Caller
  /** Reads the body, which plan and subscription are checked before. @throws PlatformError 400 */
  read(): {
    request: ChatRequest
    tier?: TaskTier
    /** Whether the last chunk of a stream tells the usage: yes unless it is false. */
    tellUsage?: boolean
  }
  /** Aborted once the caller has gone: no further model is asked then. */
  signal: AbortSignal
  /** Aborted once the whole has taken too long; what is under way ends with it. */
  deadline?: AbortSignal
  /** The path that was called, for the usage record. */
  endpoint: string
  /** What the caller's `traceparent` says, where it says something. */
  traceparent?: string | null
  /** Likewise, of `tracestate`: an agent's names the turn that it is at. */
  tracestate?: string | null
}

/** OpenAI's form; what a provider says beyond it is left out. */
export interface Answer extends Record<string, unknown> {
  id: string
  /** The model that served, by its routing id. */
  model: string
  choices: UpstreamCompletion['choices']
}

/**
 * `settle` records what an answer used; it is called once the answer is out, and never throws. A stream whose reader
 * has left is given to `leave` instead, which reads on for its count before it settles, and never throws either.
 */
export type Completion =
  | { kind: 'whole'; answer: Answer; provider: string; usage: TokenUsage; settle(): Promise<void> }
  | {
      kind: 'stream'
      chunks: AsyncGenerator<Record<string, unknown>>
      settle(): Promise<void>
      leave(): Promise<void>
    }

/**
 * One chat completion: checks the caller, holds its tokens, asks one model after the other, and meters the answer. A
 * model that is at work when the caller leaves is heard to its end, since it costs the same.
 * @throws PlatformError 400, 402, 403, 404, 429, 502 and 503, as contract.md 5 orders them
 */
export async function complete(context: AiContext, input: CompletionInput): Promise<Completion> {
  const { signal, deadline } = input
  const begun = await begin(context, input)
  const { request, tellUsage, limit, routes, only, sizeAt, reservation, drawing } = begun
  const meter = createMeter()
  const trace = traceCall(context, { ...input, request, traceparent: input.traceparent ?? null })
  const settlement = createSettlement(context, { ...input, reservation, drawing, meter, trace })
  const ended = new AbortController()
  const ends = deadline === undefined ? ended.signal : AbortSignal.any([ended.signal, deadline])
  const { timeoutMs, log } = context
  const attempt = (route: Route) => {
    settlement.servedBy(route)
    meter.expect(sizeAt(route))
    const limited = withLimit(request, limit, limitField(route))
    return { route, request: limited, timeoutMs, signal: ends }
  }
  const followed =
    <T>(asks: (asked: ReturnType<typeof attempt>) => Promise<T>) =>
    (route: Route): Promise<T> => {
      const asking = asks(attempt(route))
      return trace === undefined ? asking : trace.follow(route, asking)
    }
  const see = (part: UpstreamChunk | UpstreamCompletion) => {
    meter.see(part)
    trace?.see(part)
  }
  try {
    if (request.stream !== true) {
      const ask = followed(askWhole)
      const { route, answer } = await firstAnswer(routes, { log, signal, ask })
      see(answer)
      settlement.complete()
      return {
        kind: 'whole',
        answer: named(answer, route.id, meter),
        provider: route.provider.name,
        usage: meter.usage(),
        settle: settlement.settle,
      }
    }
    const ask = followed(askStream)
    const { route, answer } = await firstAnswer(routes, { log, signal, ask })
    const chunks = relay(answer, route.id, {
      meter,
      see,
      tellUsage,
      complete: settlement.complete,
    })
    const stop = () => {
      meter.stop()
      ended.abort()
    }
    const { settle } = settlement
    return { kind: 'stream', chunks, settle, leave: () => readOn(chunks, stop).then(settle) }
  } catch (error) {
    // What is cut off in the middle has made a model work; a caller that gets an error has not been served.
    if (deadline?.aborted === true) await settlement.settle()
    else await settlement.release()
    if (signal.aborted || deadline?.aborted === true) throw callerGone()
    throw only !== undefined && wasRefused(error) ? unlisted(only, error) : error
  }
}

/** All that comes before a model is asked: the checks in their order, and the hold of what the call may use. */
async function begin(context: AiContext, { caller, read }: CompletionInput) {
  const plan = requirePlan(caller)
  const { request, tier, tellUsage = true } = read()
  const limit = answerLimit(request, plan.monthlyTokens !== null || isCapped(caller))
  const providers = await withOwnKeys(context, caller)
  const { routes, only } = await chooseModels(
    { ...context, providers },
    { plan, model: request.model ?? undefined, agent: caller.agentId !== null, tier },
  )
  const prompt = sizeOfPrompt(request)
  const sizeAt: SizeAt = ({ id }) => ({
    inputTokens: promptTokens(prompt, id),
    outputTokens: limit.tokens * (request.n ?? 1),
  })
  const held = await hold(context, { caller, plan, routes, sizeAt })
  return { request, tellUsage, limit, only, sizeAt, ...held }
}

function named(answer: UpstreamCompletion, model: string, meter: Meter): Answer {
  const usage = meter.usage()
  return {
    ...answer,
    id: idOf(answer) ?? newId(idPrefixes.completion),
    created: createdOf(answer) ?? Math.floor(Date.now() / 1000),
    object: 'chat.completion',
    model,
    usage: meter.counted() ? { ...Object(answer.usage), ...writeUsage(usage) } : writeUsage(usage),
  }
}

interface Relayed {
  meter: Meter
  see: Meter['see']
  tellUsage: boolean
  complete: () => void
}

/** The chunks as they come, the usage last. @throws PlatformError where the model breaks off */
async function* relay(
  chunks: AsyncGenerator<UpstreamChunk>,
  model: string,
  { meter, see, tellUsage, complete }: Relayed,
): AsyncGenerator<Record<string, unknown>> {
  const object = 'chat.completion.chunk'
  // Where the provider names none, all chunks have the same.
  let id: string | undefined
  let created: number | undefined
  let reported: unknown
  try {
    for await (const chunk of chunks) {
      see(chunk)
      const { usage, ...said } = chunk
      reported = usage ?? reported
      if (said.choices.length === 0) continue
      id = idOf(said) ?? id ?? newId(idPrefixes.completion)
      created = createdOf(said) ?? created ?? Math.floor(Date.now() / 1000)
      yield { ...said, id, created, object, model }
    }
    complete()
    if (!tellUsage) return
    yield {
      id: id ?? newId(idPrefixes.completion),
      created: created ?? Math.floor(Date.now() / 1000),
      object,
      model,
      choices: [],
      usage: { ...Object(reported), ...writeUsage(meter.usage()) },
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

function callerGone(): PlatformError {
  return new PlatformError('bad-request', 'The caller has gone', { code: 'CLIENT_CLOSED_REQUEST' })
}

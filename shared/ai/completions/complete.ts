import { PlatformError } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { type Caller, requirePlan } from '../caller.ts'
import type { AiContext } from '../context.ts'
import { chooseModels } from '../models/choose.ts'
import type { TaskTier } from '../models/tiers.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import { withOwnKeys } from '../providers/own-keys.ts'
import type { ChatRequest } from '../request.ts'
import { estimatePrompt } from '../tokens.ts'
import { type TokenUsage, writeUsage } from '../usage.ts'
import { firstAnswer } from './fallback.ts'
import { hold, isCapped } from './hold.ts'
import { createMeter, type Meter } from './meter.ts'
import { createSettlement } from './settle.ts'
import { askStream, askWhole, type UpstreamChunk, type UpstreamCompletion } from './upstream.ts'

/** contract.md 5. */
const defaultAnswerTokens = 4096

export interface CompletionInput {
  caller: Caller
  /** Reads the body, which plan and subscription are checked before. @throws PlatformError 400 */
  read(): { request: ChatRequest; tier?: TaskTier }
  /** Aborted once the caller has gone; what is under way ends with it. */
  signal: AbortSignal
  /** The path that was called, for the usage record. */
  endpoint: string
}

/** OpenAI's form, whatever else a provider says. */
export interface Answer extends Record<string, unknown> {
  id: string
  /** The model that served, by its routing id. */
  model: string
  choices: UpstreamCompletion['choices']
}

/** `settle` records what an answer used; it is called once the answer is out, and never throws. */
export type Completion =
  | { kind: 'whole'; answer: Answer; provider: string; usage: TokenUsage; settle(): Promise<void> }
  | { kind: 'stream'; chunks: AsyncGenerator<Record<string, unknown>>; settle(): Promise<void> }

/**
 * One chat completion: checks the caller, holds its tokens, asks one model after the other, and meters the answer.
 * @throws PlatformError 400, 402, 403, 404, 429, 502 and 503, as contract.md 5 orders them
 */
export async function complete(context: AiContext, input: CompletionInput): Promise<Completion> {
  const { signal } = input
  const { request, routes, reservation, inputTokens } = await begin(context, input)
  const meter = createMeter(inputTokens)
  const settlement = createSettlement(context, { ...input, reservation, meter })
  try {
    const { timeoutMs, log } = context
    if (request.stream !== true) {
      const { route, answer } = await firstAnswer(routes, log, (route) => {
        settlement.servedBy(route)
        return askWhole({ route, request, timeoutMs, signal })
      })
      meter.see(answer)
      settlement.complete()
      return {
        kind: 'whole',
        answer: named(answer, route.id, meter),
        provider: route.provider.name,
        usage: meter.usage(),
        settle: settlement.settle,
      }
    }
    const { route, answer } = await firstAnswer(routes, log, (route) => {
      settlement.servedBy(route)
      return askStream({ route, request, timeoutMs, signal })
    })
    const chunks = relay(answer, route.id, meter, settlement.complete)
    return { kind: 'stream', chunks, settle: settlement.settle }
  } catch (error) {
    // Whoever leaves in the middle has made a model work; whoever gets an error has not been served.
    if (signal.aborted) await settlement.settle()
    else await settlement.release()
    throw signal.aborted ? callerGone() : error
  }
}

/** All that comes before a model is asked: the checks in their order, and the hold of what the call may use. */
async function begin(context: AiContext, { caller, read }: CompletionInput) {
  const plan = requirePlan(caller)
  const { request: given, tier } = read()
  const request = withAnswerLimit(given, plan.monthlyTokens !== null || isCapped(caller))
  const providers = await withOwnKeys(context, caller)
  const chosen = await chooseModels(
    { ...context, providers },
    { plan, model: request.model ?? undefined, agent: caller.agentId !== null, tier },
  )
  const inputTokens = estimatePrompt(request)
  const size = { inputTokens, outputTokens: answerTokens(request) * (request.n ?? 1) }
  const held = await hold(context, { caller, plan, routes: chosen, size })
  return { request, inputTokens, ...held }
}

/** The most that one choice may have, where the caller said so; of two limits the smaller holds. */
function limitOf({ max_completion_tokens, max_tokens }: ChatRequest): number | undefined {
  const given = [max_completion_tokens, max_tokens].filter((limit) => typeof limit === 'number')
  return given.length === 0 ? undefined : Math.min(...given)
}

function answerTokens(request: ChatRequest): number {
  return limitOf(request) ?? defaultAnswerTokens
}

/**
 * The model is held to what was reserved, or else the reservation would bound nothing: providers differ in which of
 * the two limits they obey, so both say the same.
 */
function withAnswerLimit(request: ChatRequest, limited: boolean): ChatRequest {
  const limit = limitOf(request)
  if (limit === undefined)
    return limited ? { ...request, max_tokens: defaultAnswerTokens } : request
  return {
    ...request,
    ...(typeof request.max_tokens === 'number' && { max_tokens: limit }),
    ...(typeof request.max_completion_tokens === 'number' && { max_completion_tokens: limit }),
  }
}

function named(answer: UpstreamCompletion, model: string, meter: Meter): Answer {
  return {
    created: Math.floor(Date.now() / 1000),
    ...answer,
    id: typeof answer.id === 'string' ? answer.id : newId('completion'),
    object: 'chat.completion',
    model,
    ...(!meter.counted() && { usage: writeUsage(meter.usage()) }),
  }
}

/** The chunks as they come, the usage last. @throws PlatformError where the model breaks off */
async function* relay(
  chunks: AsyncGenerator<UpstreamChunk>,
  model: string,
  meter: Meter,
  complete: () => void,
): AsyncGenerator<Record<string, unknown>> {
  let last: Record<string, unknown> = {}
  try {
    for await (const chunk of chunks) {
      meter.see(chunk)
      last = { id: newId('completion'), created: Math.floor(Date.now() / 1000), ...chunk }
      yield { ...last, object: 'chat.completion.chunk', model }
    }
    complete()
    if (!meter.counted())
      yield {
        id: last.id,
        created: last.created,
        object: 'chat.completion.chunk',
        model,
        choices: [],
        usage: writeUsage(meter.usage()),
      }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    throw new PlatformError('bad-gateway', `The model broke off its answer: ${error.message}`, {
      code: 'AI_INTERRUPTED',
      cause: error,
    })
  }
}

function callerGone(): PlatformError {
  return new PlatformError('bad-request', 'The caller has gone', { code: 'CLIENT_CLOSED_REQUEST' })
}

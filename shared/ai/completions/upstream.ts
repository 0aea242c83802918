import * as z from 'zod'
import type { HttpTimeouts } from '../../platform/http-client/client.ts'
import { serverSentEvents } from '../../platform/http-client/events.ts'
import { isShallow, parseUpTo } from '../../platform/json.ts'
import { once } from '../../platform/once.ts'
import type { ChatRequest } from '../request.ts'
import { errorText, failureIn, UpstreamFailure } from '../providers/failure.ts'
import { type Answer, call, json, text } from '../providers/http.ts'
import type { Provider, Route } from '../providers/provider.ts'

/** Far more than a model writes in one answer, streamed or not. */
const maxBytes = 64 * 1_048_576

/** More than any model says in one event. */
const maxEventBytes = 4 * 1_048_576

/** What OpenAI's streams end with. */
const done = '[DONE]'

/** Deeper than any answer, tool calls included. */
const deepest = 64

/** Values in a piece of an answer, or in an error: far more than there are reasons for. */
const mostInChunk = 100_000

export interface Attempt {
  route: Route
  request: ChatRequest
  timeoutMs: number
  signal: AbortSignal
}

const completion = once(() =>
  z.looseObject({
    choices: z.array(z.looseObject({ message: z.looseObject({}) })).min(1),
  }),
)

export type UpstreamCompletion = z.output<ReturnType<typeof completion>>

/** One whole answer of one model. @throws UpstreamFailure */
export async function askWhole(attempt: Attempt): Promise<UpstreamCompletion> {
  const answer = await post(attempt, { stream: false }, { totalMs: attempt.timeoutMs })
  const body = await json(answer)
  const failure = failureIn(body, attempt.route.provider)
  if (failure !== undefined) throw failure
  // It is passed on as it is, and writing what is nested without end would take the whole stack.
  if (!isShallow(body, deepest)) throw new UpstreamFailure('the answer is nested too deep')
  const parsed = completion().safeParse(body)
  if (!parsed.success) throw new UpstreamFailure('the answer is no chat completion', answer.status)
  return parsed.data
}

const chunk = once(() =>
  z.looseObject({
    choices: z.array(
      z.looseObject({
        delta: z.looseObject({}).nullish(),
        finish_reason: z.string().nullish(),
      }),
    ),
  }),
)

export type UpstreamChunk = z.output<ReturnType<typeof chunk>>

/**
 * One streamed answer of one model, from its first chunk on: before that, the caller has seen nothing of it, and another
 * model may be asked instead. @throws UpstreamFailure, also from the chunks where the stream breaks off
 */
export async function askStream(attempt: Attempt): Promise<AsyncGenerator<UpstreamChunk>> {
  const stream = { stream: true, stream_options: { include_usage: true } }
  const answer = await post(attempt, stream, { idleMs: attempt.timeoutMs })
  if (!answer.headers['content-type']?.startsWith('text/event-stream')) {
    answer.close()
    throw new UpstreamFailure('the answer is no stream', answer.status)
  }
  const chunks = chunksOf(answer, attempt.route.provider)
  const first = await chunks.next()
  if (first.done) throw new UpstreamFailure('the stream is empty', answer.status)
  return resumed(first.value, chunks)
}

async function* resumed<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

async function* chunksOf(answer: Answer, provider: Provider): AsyncGenerator<UpstreamChunk> {
  const events = serverSentEvents(answer.body, { maxEventBytes, tooLong })
  let complete = false
  try {
    for (;;) {
      const next = await events.next()
      if (next.done) break
      if (next.value.data === done) {
        complete = true
        // The rest is read to its end without anybody waiting, so that the connection can serve again.
        void drain(events)
        return
      }
      const value = parseChunk(next.value.data, provider)
      complete ||= value.choices.some((choice) => typeof choice.finish_reason === 'string')
      yield value
    }
    if (!complete) throw new UpstreamFailure('the stream broke off')
  } finally {
    if (!complete) answer.close()
  }
}

function tooLong(): UpstreamFailure {
  return new UpstreamFailure('an event of the stream has no end')
}

async function drain(events: AsyncGenerator<unknown>): Promise<void> {
  try {
    while (!(await events.next()).done);
  } catch {
    // The answer is complete: how its connection ends is of no account.
  }
}

function parseChunk(data: string, provider: Provider): UpstreamChunk {
  let body: unknown
  try {
    body = parseUpTo(data, mostInChunk)
  } catch (error) {
    throw new UpstreamFailure('an event of the stream is not JSON', null, { cause: error })
  }
  const failure = failureIn(body, provider)
  if (failure !== undefined) throw failure
  const parsed = chunk().safeParse(body)
  if (!parsed.success) throw new UpstreamFailure('an event of the stream is no chunk of an answer')
  return parsed.data
}

async function post(
  { route, request, signal }: Attempt,
  stream: object,
  timeouts: HttpTimeouts,
): Promise<Answer> {
  const given = Object.entries(request).filter(([, value]) => value !== null)
  const answer = await call(route.provider, {
    path: '/chat/completions',
    json: { ...Object.fromEntries(given), model: route.model, ...stream },
    timeouts,
    maxBytes,
    signal,
  })
  if (answer.status >= 200 && answer.status < 300) return answer
  throw await refusal(answer, route.provider)
}

async function refusal(answer: Answer, provider: Provider): Promise<UpstreamFailure> {
  const body = await text(answer)
  let said: string | undefined
  try {
    said = errorText(parseUpTo(body, mostInChunk), provider)
  } catch {
    // Proxies answer in HTML: the status says enough.
  }
  const { status, retryAfter } = answer
  return new UpstreamFailure(said ?? `the provider answered ${status}`, status, { retryAfter })
}

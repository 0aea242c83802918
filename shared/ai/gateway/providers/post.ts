import type { HttpTimeouts } from '#shared/platform/http-client/client.ts'
import { isHeartbeat, serverSentEvents } from '#shared/platform/http-client/events.ts'
import { isSuccess } from '#shared/platform/http-client/status.ts'
import { isShallow, parseUpTo } from '#shared/platform/json.ts'
import { isObject } from '../answers/form.ts'
import type { Attempt, Piece, ProviderEvent } from '../completions/call.ts'
import { errorIn, failureIn, type ProviderError, UpstreamFailure } from './failure.ts'
import { call, type ProviderCall, type ProviderResponse, text } from './http.ts'
import type { Provider } from './provider.ts'

/** Far more than a model writes in one answer, streamed or not. */
const maxBytes = 64 * 1_048_576

/** The maximum size of an event. Models send far less. */
export const maxEventBytes = 4 * 1_048_576

/** The maximum nesting of an answer. Answers and their tool calls are less deep. */
export const deepest = 64

/** Values in a piece of an answer, or in an error: far more than any provider sends. */
export const maxInChunk = 100_000

/** The maximum number of values in a whole answer. Even the longest answers, with log probabilities, have fewer. */
export const maxInWhole = 4_000_000

type Post = Pick<ProviderCall, 'headers' | 'keyIn' | 'path' | 'json' | 'body'>

/**
 * Sends a request to the provider of an attempt, and returns when the headers of a successful response arrive.
 * @throws UpstreamFailure
 */
export async function post(
  { route, signal, timeoutMs }: Pick<Attempt, 'route' | 'signal' | 'timeoutMs'>,
  request: Post,
): Promise<ProviderResponse> {
  const timeouts: HttpTimeouts = { idleMs: timeoutMs }
  const answer = await call(route.provider, { ...request, timeouts, maxBytes, signal })
  if (isSuccess(answer.status)) return answer
  throw await refusal(answer, route.provider)
}

async function refusal(answer: ProviderResponse, provider: Provider): Promise<UpstreamFailure> {
  const body = await text(answer)
  let error: ProviderError | undefined
  try {
    error = errorIn(parseUpTo(body, maxInChunk), provider, true)
  } catch {
    // Proxies answer in HTML, and the status is enough.
  }
  const { status, retryAfter } = answer
  const { message = `the provider answered ${status}`, code, param } = error ?? {}
  return new UpstreamFailure(message, status, { retryAfter, code, param, body })
}

/**
 * Reads a whole answer as JSON.
 * @param outline returns the text without long parts that are not needed
 * @throws UpstreamFailure if it is not a JSON object, or contains the provider's error
 */
export async function wholeOf(
  answer: ProviderResponse,
  { route, silent }: Pick<Attempt, 'route' | 'silent'>,
  outline: (text: string) => string = (text) => text,
): Promise<{ body: Record<string, unknown>; text: string }> {
  const sent = await text(answer, silent)
  const body = parsed(outline(sent), maxInWhole, 'the answer is not JSON')
  const failure = failureIn(body, route.provider)
  if (failure !== undefined) throw failure
  if (!isObject(body)) throw new UpstreamFailure('the answer is not an object', answer.status)
  if (!isShallow(body, deepest)) throw new UpstreamFailure('the answer is nested too deeply')
  return { body, text: sent }
}

/**
 * Yields the events of a streamed answer.
 * @throws UpstreamFailure if an event is not a JSON object, or contains the provider's error
 */
export async function* providerEvents(
  answer: ProviderResponse,
  { route, silent }: Pick<Attempt, 'route' | 'silent'>,
  maxBytesOfEvent = maxEventBytes,
): AsyncGenerator<ProviderEvent> {
  const limits = { maxEventBytes: maxBytesOfEvent, tooLong, silent }
  const events = serverSentEvents(answer.body, limits)
  for await (const { event, data } of events) {
    if (isHeartbeat(data)) {
      silent?.()
      continue
    }
    const body = parsed(data, maxInChunk, 'an event of the stream is not JSON')
    const failure =
      failureIn(body, route.provider) ??
      (event === 'error' ? failureIn({ error: body }, route.provider) : undefined)
    if (failure !== undefined) throw failure
    if (isObject(body)) yield { event, data: body, text: data }
  }
}

export function tooLong(): UpstreamFailure {
  return new UpstreamFailure('an event of the stream is too long')
}

/** @throws UpstreamFailure with the message if the text is not JSON, or has too many values */
export function parsed(json: string, maxValues: number, message: string): unknown {
  try {
    return parseUpTo(json, maxValues)
  } catch (error) {
    throw new UpstreamFailure(message, null, { cause: error })
  }
}

/** Yields the first parts of a stream that were read already, and then the others. */
export async function* resumed<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    yield* first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Reads the rest of a complete answer, so that its connection can be used again. */
export async function drain(events: AsyncGenerator<unknown>): Promise<void> {
  try {
    while (!(await events.next()).done);
  } catch {
    // The answer is complete, so an error at the end of its connection does not matter.
  }
}

/**
 * Reads a stream up to its first content, so that an error before it makes the next model answer.
 * @throws UpstreamFailure if the stream is empty
 */
export async function begun(pieces: AsyncGenerator<Piece>): Promise<AsyncGenerator<Piece>> {
  const first: Piece[] = []
  for (;;) {
    const next = await pieces.next()
    if (next.done) break
    first.push(next.value)
    if (next.value.chunk.choices.length > 0) break
  }
  if (first.length === 0) throw new UpstreamFailure('the stream is empty')
  return resumed(first, pieces)
}

import { parseUpTo } from '../../platform/json.ts'
import {
  type HttpAnswer,
  type HttpTimeouts,
  sendRequest,
} from '../../platform/http-client/client.ts'
import { type HttpTarget, targetOf } from '../../platform/http-client/connections.ts'
import type { HttpFailure } from '../../platform/http-client/failure.ts'
import { UpstreamFailure } from './failure.ts'
import type { Provider } from './provider.ts'

export interface Call {
  path: string
  /** Sent as a POST; without it the call is a GET. */
  json?: unknown
  timeouts: HttpTimeouts
  maxBytes: number
  /** Aborted when the caller leaves: the call ends with it. */
  signal?: AbortSignal
}

/** What is read of it throws UpstreamFailure where it breaks off, and the signal's reason where the caller left. */
export interface Answer extends HttpAnswer {
  /** Retry-After, in seconds from now; undefined where the provider sends none. */
  retryAfter: number | undefined
}

/** Of the providers' addresses, which are few. */
const targets = new Map<string, HttpTarget>()

function targetAt(url: string): HttpTarget {
  let target = targets.get(url)
  if (target === undefined) {
    target = targetOf(url)
    targets.set(url, target)
  }
  return target
}

/**
 * Calls a provider and returns once the answer's headers are there.
 * @throws UpstreamFailure for a call that gets no answer, and the signal's reason where the caller left
 */
export async function call({ baseUrl, apiKey }: Provider, given: Call): Promise<Answer> {
  const { path, ...request } = given
  const answer = await sendRequest({
    ...request,
    target: targetAt(baseUrl + path),
    headers: {
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    pooled: true,
    toError,
  })
  const retryAfter = secondsUntil(answer.headers['retry-after'])
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return { ...answer, retryAfter }
  const { unpack } = await import('./unpack.ts')
  return { ...unpack(answer, encoding, given.maxBytes), retryAfter }
}

function toError(failure: HttpFailure): unknown {
  if (failure.kind === 'aborted') return failure.cause
  const text = texts[failure.kind] ?? failure.message
  return new UpstreamFailure(text, null, { cause: failure })
}

const texts: Partial<Record<HttpFailure['kind'], string>> = {
  unreachable: 'the provider cannot be reached',
  upgraded: 'the provider tried to switch to another protocol',
  closed: 'the answer broke off',
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3); anything else says nothing. */
function secondsUntil(retryAfter = ''): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(retryAfter)) return undefined
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** An answer's body as text. @param onBytes called for each piece of it */
export async function text(answer: Answer, onBytes?: () => void): Promise<string> {
  const body = (await answer.whole(onBytes)).toString()
  return body.charCodeAt(0) === byteOrderMark ? body.slice(1) : body
}

const byteOrderMark = 0xfe_ff

/** More than the longest answers have, with the odds of every token; each takes memory that calls beside it need. */
const mostValues = 4_000_000

/** An answer's body as JSON. @throws UpstreamFailure where it is none, or has too much in it */
export async function json(answer: Answer): Promise<unknown> {
  const body = await text(answer)
  try {
    return parseUpTo(body, mostValues)
  } catch (error) {
    throw new UpstreamFailure('the answer is not JSON', null, { cause: error })
  }
}

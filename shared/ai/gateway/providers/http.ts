import {
  type HttpAnswer,
  type HttpTimeouts,
  sendRequest,
} from '#shared/platform/http-client/client.ts'
import { type HttpTarget, targetOf } from '#shared/platform/http-client/connections.ts'
import type { HttpFailure } from '#shared/platform/http-client/failure.ts'
import { parseUpTo } from '#shared/platform/json.ts'
import { UpstreamFailure } from './failure.ts'
import type { Provider } from './provider.ts'

export interface ProviderCall {
  path: string
  /** Sent as a POST. Without it and without a body, the call is a GET. */
  json?: unknown
  /** Sent as a POST, with the `content-type` of the headers. */
  body?: Buffer
  timeouts: HttpTimeouts
  maxBytes: number
  /** Aborted when the caller disconnects, which ends the call. */
  signal?: AbortSignal
  /** Headers of the caller that the provider receives. */
  headers?: Readonly<Record<string, string>>
  /** The header with the provider's key. Default: `authorization`. */
  keyIn?: 'authorization' | 'x-api-key'
}

/**
 * A response whose body throws UpstreamFailure if it is interrupted, and the signal's reason if the caller
 * disconnected.
 */
export interface ProviderResponse extends HttpAnswer {
  /** Retry-After, in seconds from now; undefined if the provider sends none. */
  retryAfter: number | undefined
}

/** One target per provider address. There are only a few. */
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
 * Calls a provider and returns when the headers of the response arrive.
 * @throws UpstreamFailure without a response, and the signal's reason if the caller disconnected
 */
export async function call(
  { baseUrl, apiKey }: Provider,
  providerCall: ProviderCall,
): Promise<ProviderResponse> {
  const { path, headers, keyIn = 'authorization', ...request } = providerCall
  const answer = await sendRequest({
    ...request,
    target: targetAt(baseUrl + path),
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      ...(apiKey !== undefined && {
        [keyIn]: keyIn === 'x-api-key' ? apiKey : `Bearer ${apiKey}`,
      }),
    },
    pooled: true,
    toError,
  })
  const retryAfter = secondsUntil(answer.headers['retry-after'])
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return { ...answer, retryAfter }
  const { unpack } = await import('./unpack.ts')
  return { ...unpack(answer, encoding, providerCall.maxBytes), retryAfter }
}

function toError(failure: HttpFailure): unknown {
  if (failure.kind === 'aborted') return failure.cause
  const text = texts[failure.kind] ?? failure.message
  return new UpstreamFailure(text, null, { cause: failure })
}

const texts: Partial<Record<HttpFailure['kind'], string>> = {
  unreachable: 'the provider cannot be reached',
  upgraded: 'the provider tried to switch to another protocol',
  closed: 'the answer was interrupted',
}

/** Retry-After is a number of seconds or a date (RFC 9110, 10.2.3). Other values are ignored. */
function secondsUntil(retryAfter = ''): number | undefined {
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter)
  if (!/^[A-Z][a-z]{2}, .* GMT$/.test(retryAfter)) return undefined
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/**
 * Reads the body of a response as text.
 * @param onBytes called for each piece
 */
export async function text(answer: ProviderResponse, onBytes?: () => void): Promise<string> {
  const body = (await answer.whole(onBytes)).toString()
  return body.charCodeAt(0) === byteOrderMark ? body.slice(1) : body
}

const byteOrderMark = 0xfe_ff

/**
 * The maximum number of values, which limits the memory of parallel calls. The longest answers, with log probabilities
 * of every token, have fewer.
 */
const maxValues = 4_000_000

/**
 * Reads the body of a response as JSON.
 * @throws UpstreamFailure if it is invalid or too large
 */
export async function json(answer: ProviderResponse): Promise<unknown> {
  const body = await text(answer)
  try {
    return parseUpTo(body, maxValues)
  } catch (error) {
    throw new UpstreamFailure('the answer is not JSON', null, { cause: error })
  }
}

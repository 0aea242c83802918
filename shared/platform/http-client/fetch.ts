import { promisify } from 'node:util'
import { unzip } from 'node:zlib'
import { type HttpAnswer, sendRequest } from './client.ts'
import { type HttpTarget, targetOf } from './connections.ts'
import { HttpFailure, tooLarge } from './failure.ts'

/** Limits of one exchange with another server. */
export interface FetchBounds {
  /** The timeout of the whole exchange, including the body. */
  totalMs: number
  /** Limit of the body after decompression. */
  maxBytes: number
  /** Returns the target of an address, such as one that is guarded. Default: every address is allowed. */
  target?: (url: string) => HttpTarget
  /** Ends every exchange, in addition to the signal of its request. */
  signal?: AbortSignal | undefined
}

export type BoundedFetch = (url: string, init?: RequestInit) => Promise<Response>

/**
 * Returns the client as a `fetch` function, for libraries that call other servers, with limits of the duration and the
 * size of responses. Redirects are returned, not followed.
 * @returns a fetch that throws HttpFailure, or the signal's reason if the caller disconnected
 */
export function boundedFetch({
  totalMs,
  maxBytes,
  target = targetOf,
  signal,
}: FetchBounds): BoundedFetch {
  return async (url, init) => {
    const request = new Request(url, init)
    const answer = await sendRequest({
      target: target(url),
      method: request.method,
      headers: { 'accept-encoding': 'gzip, deflate', ...Object.fromEntries(request.headers) },
      body: request.body === null ? undefined : Buffer.from(await request.arrayBuffer()),
      timeouts: { totalMs },
      maxBytes,
      pooled: true,
      signal: either(init?.signal ?? undefined, signal),
      toError: (failure) => (failure.kind === 'aborted' ? failure.cause : failure),
    })
    const body = await unpacked(answer, maxBytes)
    const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ])
    return new Response(body.length === 0 ? null : body, { status: answer.status, headers })
  }
}

function either(
  first: AbortSignal | undefined,
  second: AbortSignal | undefined,
): AbortSignal | undefined {
  return first !== undefined && second !== undefined
    ? AbortSignal.any([first, second])
    : (first ?? second)
}

async function unpacked(answer: HttpAnswer, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const body = Buffer.from(await answer.whole())
  if (!/gzip|deflate/.test(answer.headers['content-encoding'] ?? '')) return body
  try {
    return Buffer.from(await promisify(unzip)(body, { maxOutputLength: maxBytes }))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes)
    throw new HttpFailure('closed', 'the answer cannot be unpacked', { cause })
  }
}

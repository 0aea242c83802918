/** What an answer from elsewhere may cost. */
export interface FetchBounds {
  /** For the whole exchange, body included. */
  timeoutMs: number
  /** Of the body, as it is after decompression. */
  maxBytes: number
}

/** An answer that is longer than what is taken. */
export class TooLongError extends Error {
  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`)
    this.name = 'TooLongError'
  }
}

export type BoundedFetch = (url: string, init?: RequestInit) => Promise<Response>

/**
 * `fetch` for servers that are not ours: no endless answer, no huge one, and no redirect to somewhere else, which is
 * answered as it came.
 */
export function boundedFetch({ timeoutMs, maxBytes }: FetchBounds): BoundedFetch {
  return async (url, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = init.signal ? AbortSignal.any([timeout, init.signal]) : timeout
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const body = response.body && (await readUpTo(response.body, maxBytes))
    return new Response(body, { status: response.status, headers: response.headers })
  }
}

async function readUpTo(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): Promise<Blob> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw new TooLongError(maxBytes)
    chunks.push(chunk)
  }
  return new Blob(chunks)
}

/** A server on one's own machine, which has no TLS. */
function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** Whether an address may be spoken to without TLS: on one's own machine only, and never from a deployed function. */
export function mayBePlain(url: URL, deployed: boolean): boolean {
  return !deployed && url.protocol === 'http:' && isLoopback(url)
}

/** @throws Error for an address that would be spoken to in the clear */
export function requireSecure(url: URL, deployed: boolean): URL {
  if (url.protocol !== 'https:' && !mayBePlain(url, deployed))
    throw new Error(`${url.origin} must be an https address`)
  return url
}

/** A request as its caller sent it. */
export interface SentRequest {
  /** Path and query, byte for byte if the carrier preserves them. */
  target: string
  /** A stream if the carrier supports streams, otherwise the whole body. */
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
}

/** The property of a carrier's Request that returns the request as it was sent. */
export const sentAs = Symbol('as it was sent')

/** Returns a request as it was sent, for routes that forward requests. */
export function sentRequest(request: Request): SentRequest {
  if (sentAs in request)
    return (request as unknown as Record<typeof sentAs, () => SentRequest>)[sentAs]()
  const { pathname, search } = new URL(request.url)
  return { target: pathname + search, body: request.body }
}

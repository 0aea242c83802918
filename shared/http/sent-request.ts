/** A request as its caller sent it. */
export interface SentRequest {
  /** Path and query, byte for byte where the carrier keeps them. */
  target: string
  /** As it comes where the carrier lets it, else whole. */
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | null
}

/** Under this a carrier's Request has what answers how it was sent. */
export const sentAs = Symbol('as it was sent')

/** What a route that passes requests on reads of them. */
export function sentRequest(request: Request): SentRequest {
  if (sentAs in request)
    return (request as unknown as Record<typeof sentAs, () => SentRequest>)[sentAs]()
  const { pathname, search } = new URL(request.url)
  return { target: pathname + search, body: request.body }
}

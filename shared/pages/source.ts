/** One answer to one request for a page; a redirect is an answer like any other. */
export interface PageAnswer {
  status: number
  /** A header's value by its name in lower case; undefined where it is absent. */
  header(name: string): string | undefined
  /** As it arrives, unpacked (gzip, deflate, br). Throws where it breaks off, and where it is packed otherwise. */
  body: AsyncIterable<Uint8Array>
  /** Ends the exchange, with what is still to come of it; may be called twice. */
  close(): void
}

export interface PageRequest {
  headers: Record<string, string>
  signal: AbortSignal
}

export interface PageSourceOptions {
  /** FETCH_ALLOW_HOSTS. */
  allowed: readonly string[]
  /** DNS_RESOLVER_URL: for a runtime that does not say where a name leads. */
  resolverUrl: string
}

/**
 * How pages are asked for: the part of the summarizer that differs by runtime. What each must hold: `checkUrl` on every
 * address; no connection to an address that is not public, also where a name resolves to another one the second time; no redirect is followed; nothing is sent but the headers that it is given and what it can unpack.
 */
export interface PageSource {
  /** @throws AddressRefused for what is not public; anything else where there is no answer */
  ask(url: URL, request: PageRequest): Promise<PageAnswer>
}

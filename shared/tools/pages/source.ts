/** A response to one request for a page, possibly a redirect. */
export interface PageAnswer {
  status: number
  /** Returns a header's value by its lower-case name, or undefined if it is absent. */
  header(name: string): string | undefined
  /**
   * The body as it arrives, decompressed (gzip, deflate, br). Throws if the connection breaks or for another encoding.
   */
  body: AsyncIterable<Uint8Array>
  /** Ends the exchange and discards the rest of the body. Can be called twice. */
  close(): void
}

export interface PageRequest {
  headers: Record<string, string>
  signal: AbortSignal
}

export interface PageSourceOptions {
  /** FETCH_ALLOW_HOSTS. */
  allowed: readonly string[]
  /** DNS_RESOLVER_URL: for a runtime that does not expose DNS. */
  resolverUrl: string
}

/**
 * The part of the summarizer that depends on the runtime. Every implementation must call `checkUrl` on every address;
 * connect to public addresses only, even if a name resolves differently the second time; follow no redirect; and send
 * only the given headers and its supported encodings.
 */
export interface PageSource {
  /** @throws AddressRefused for an address that is not public; other errors without a response */
  ask(url: URL, request: PageRequest): Promise<PageAnswer>
}

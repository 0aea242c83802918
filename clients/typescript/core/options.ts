/** What a hook is told of a request; bodies and credentials are not among it. */
export interface RequestInfo {
  /** Method and path, what is in braces not filled in. */
  operation: string
  url: string
  /** How often it was sent before. */
  tries: number
}

export interface ResponseInfo extends RequestInfo {
  status: number
  requestId: string | undefined
  milliseconds: number
}

export interface PlatformOptions {
  /** The web surface; PLATFORM_URL, in browsers the page's own origin, else http://localhost:3000. */
  baseUrl?: string | undefined
  /** A user's key or an OAuth token; PLATFORM_API_KEY where there is an environment. Without one, cookies count. */
  apiKey?: string | undefined
  /** How often a request is sent again at most; 2 unless said otherwise. */
  maxRetries?: number | undefined
  /** For each time that it is sent; of a stream, until its first byte. 60,000 unless said otherwise. */
  timeoutMs?: number | undefined
  fetch?: typeof fetch | undefined
  /** Whether the browser sends cookies along: as for fetch. */
  credentials?: RequestInit['credentials'] | undefined
  headers?: Readonly<Record<string, string>> | undefined
  onRequest?: ((request: RequestInfo) => void) | undefined
  onResponse?: ((response: ResponseInfo) => void) | undefined
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Instead of a key of its own for a request that takes one. */
  idempotencyKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

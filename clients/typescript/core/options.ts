/** The information about a request that hooks receive. It never contains bodies or credentials. */
export interface RequestInfo {
  /** Method and path template, such as `GET /api/agents/{id}`. */
  operation: string
  url: string
  /** The number of earlier attempts. */
  tries: number
}

export interface ResponseInfo extends RequestInfo {
  status: number
  requestId: string | undefined
  milliseconds: number
}

export interface PlatformOptions {
  /** The web surface's address. Default: PLATFORM_URL; in browsers the page's origin; else http://localhost:3000. */
  baseUrl?: string | undefined
  /** An API key or OAuth access token. Default: PLATFORM_API_KEY, if set. Without it, the browser's cookies count. */
  apiKey?: string | undefined
  /** The maximum number of retries; default 2. */
  maxRetries?: number | undefined
  /** The timeout of each attempt in milliseconds, default 60,000. For a stream it ends with the first byte. */
  timeoutMs?: number | undefined
  fetch?: typeof fetch | undefined
  /** The `credentials` option of `fetch`: when the browser sends cookies. */
  credentials?: RequestInit['credentials'] | undefined
  headers?: Readonly<Record<string, string>> | undefined
  onRequest?: ((request: RequestInfo) => void) | undefined
  onResponse?: ((response: ResponseInfo) => void) | undefined
}

export interface RequestOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  /** Replaces the generated key, for operations that accept an Idempotency-Key header. */
  idempotencyKey?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

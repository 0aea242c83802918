/** A refusal of the platform in its own words. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  /** HTTP status; 0 when no answer came. */
  readonly status: number
  readonly code: string | undefined
  /** Seconds after which to try again, where the platform says so. */
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, code?: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

interface Options {
  signal?: AbortSignal
  headers?: Record<string, string>
}

/** One request to the web surface by the session's cookie. @throws PlatformError; AbortError when aborted */
async function send(
  method: string,
  path: string,
  body: unknown,
  options: Options,
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new PlatformError(
      0,
      'The platform cannot be reached. Check your connection and try again.',
    )
  }
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<PlatformError> {
  const body: unknown = await response.json().catch(() => undefined)
  const details = isRecord(body) ? body : {}
  const after = Number(response.headers.get('retry-after'))
  return new PlatformError(
    response.status,
    typeof details['error'] === 'string'
      ? details['error']
      : `The platform answered ${response.status}.`,
    typeof details['code'] === 'string' ? details['code'] : undefined,
    Number.isFinite(after) && after > 0 ? after : undefined,
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function json<T>(sent: Promise<Response>): Promise<T> {
  return (await (await sent).json()) as T
}

export const platform = {
  get: <T>(path: string, options: Options = {}) => json<T>(send('GET', path, undefined, options)),
  post: <T>(path: string, body: unknown, options: Options = {}) =>
    json<T>(send('POST', path, body, options)),
  put: <T>(path: string, body: unknown) => json<T>(send('PUT', path, body, {})),
  patch: <T>(path: string, body: unknown) => json<T>(send('PATCH', path, body, {})),
  delete: <T>(path: string, body?: unknown) => json<T>(send('DELETE', path, body, {})),
  /** The response itself, for what streams. */
  stream: (path: string, options: Options = {}) => send('GET', path, undefined, options),
  open: (path: string, body: unknown, options: Options = {}) => send('POST', path, body, options),
}

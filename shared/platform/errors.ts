/** What went wrong, in words that every surface understands; shared/http/errors maps each to one status. */
export type ErrorKind =
  | 'bad-request'
  | 'unauthorized'
  | 'payment-required'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'payload-too-large'
  | 'too-many-requests'
  | 'internal'
  | 'not-implemented'
  | 'bad-gateway'
  | 'unavailable'
  | 'timeout'

export interface PlatformErrorOptions {
  /** The named code of spec.md's table or contract.md, where there is one. */
  code?: string
  /** Fields that the answer carries beside `error` and `code`, such as `current` and `limit`. */
  details?: Record<string, unknown>
  /** Headers that the answer carries, such as Retry-After. */
  headers?: Record<string, string>
  /** It is the fault of what the caller has named, such as a page that is gone: no failure of the platform, also with a status of 500. */
  foreign?: true
  cause?: unknown
}

/** An error whose message is meant for the caller. Everything else that is thrown is answered as 500 without its text. */
export class PlatformError extends Error {
  /** By its name: a part of a bundle has a copy of this class of its own, and its errors are meant for callers too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'PlatformError'
  }

  readonly kind: ErrorKind
  readonly code: string | undefined
  readonly details: Record<string, unknown>
  readonly headers: Record<string, string>
  readonly foreign: boolean

  constructor(kind: ErrorKind, message: string, options: PlatformErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PlatformError'
    this.kind = kind
    this.code = options.code
    this.details = options.details ?? {}
    this.headers = options.headers ?? {}
    this.foreign = options.foreign ?? false
  }
}

/** 404: also for what exists but is not the caller's. */
export function notFound(what: string): PlatformError {
  return new PlatformError('not-found', `${what} not found`)
}

/** 403 for what only a person who is signed in may do: an API key must not be enough to take an account over. */
export function sessionRequired(
  message = 'This takes a session; an API key is not enough',
): PlatformError {
  return new PlatformError('forbidden', message, { code: 'SESSION_REQUIRED' })
}

/** 403 for an API key that may do less than is asked. @param scope the least that would do */
export function scopeRequired(scope: string): PlatformError {
  return new PlatformError('forbidden', `The API key lacks the scope ${scope}`, {
    code: 'SCOPE_REQUIRED',
    details: { scope },
  })
}

/** 503 for a feature that lacks its settings; everything else goes on working. */
export function notConfigured(feature: string, missing: readonly string[]): PlatformError {
  return new PlatformError('unavailable', `${feature} is not configured`, {
    details: { missing },
  })
}

/** The kinds of errors, common to all surfaces; shared/http/errors maps each to one status. */
export type ErrorKind =
  | 'bad-request'
  | 'unauthorized'
  | 'payment-required'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict'
  | 'precondition-failed'
  | 'payload-too-large'
  | 'range-not-satisfiable'
  | 'too-many-requests'
  | 'internal'
  | 'not-implemented'
  | 'bad-gateway'
  | 'unavailable'
  | 'timeout'

export interface PlatformErrorOptions {
  /** The error code from spec.md's table or contract.md, if the error has one. */
  code?: string
  /** Fields of the response in addition to `error` and `code`, such as `current` and `limit`. */
  details?: Record<string, unknown>
  /** Headers of the response, such as Retry-After. */
  headers?: Record<string, string>
  /**
   * True if the cause is outside the platform, such as a page that the caller requested. The error then does not count
   * as a failure of the platform, even with status 500.
   */
  foreign?: true
  cause?: unknown
}

/** An error whose message is meant for the caller. Every other error becomes a 500 without its text. */
export class PlatformError extends Error {
  /** Compares the names of classes, because each part of a bundle can have its own copy of this class. */
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

/** Returns the error 404, also for an object that exists but does not belong to the caller. */
export function notFound(what: string): PlatformError {
  return new PlatformError('not-found', `${what} not found`)
}

/** A reached limit, with the current use. */
export interface ReachedLimit extends Pick<PlatformErrorOptions, 'details' | 'headers'> {
  limit: number
  /** Default: `limit`. */
  current?: number
  /**
   * `payment-required` if a larger plan has a higher limit, `too-many-requests` if the limit resets by itself. Default:
   * `conflict`.
   */
  kind?: 'conflict' | 'payment-required' | 'too-many-requests'
}

/** Returns the error for a reached limit, with `current` and `limit` in its details. */
export function limitReached(
  code: `${string}_LIMIT_REACHED`,
  message: string,
  { limit, current = limit, kind = 'conflict', details, headers }: ReachedLimit,
): PlatformError {
  return new PlatformError(kind, message, {
    code,
    details: { current, limit, ...details },
    ...(headers && { headers }),
  })
}

/**
 * Returns the error 403 for an operation that requires a session, because an API key must not be enough to take over an
 * account.
 */
export function sessionRequired(
  message = 'This requires a session; an API key is not enough',
): PlatformError {
  return new PlatformError('forbidden', message, { code: 'SESSION_REQUIRED' })
}

/**
 * Returns the error 403 for an API key without the scope that the request needs. @param scope the least powerful scope
 * that is sufficient
 */
export function scopeRequired(scope: string): PlatformError {
  return new PlatformError('forbidden', `The API key lacks the scope ${scope}`, {
    code: 'SCOPE_REQUIRED',
    details: { scope },
  })
}

/** Returns the error 503 for a feature without its settings; all other features work. */
export function notConfigured(feature: string, missing: readonly string[]): PlatformError {
  return new PlatformError('unavailable', `${feature} is not configured`, {
    details: { missing },
  })
}

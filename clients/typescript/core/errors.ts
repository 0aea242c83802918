import type { ErrorCode } from '../generated/types.ts'

/** Details of a failure in addition to its message. */
export interface Failure {
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
  details?: Record<string, unknown> | undefined
  headers?: Headers | undefined
  cause?: unknown
}

/** The base class of all errors of the client. The message is for people and names the request, if one was sent. */
export class PlatformError extends Error {
  /** The HTTP status; undefined if no response arrived. */
  declare readonly status: number | undefined
  declare readonly code: ErrorCode | (string & {}) | undefined
  /** The id of the request. Quote it to support. */
  declare readonly requestId: string | undefined
  /** Additional fields of the error response, such as `missing`, `current` and `limit`. */
  declare readonly details: Record<string, unknown>
  declare readonly headers: Headers | undefined

  constructor(message: string, { status, code, requestId, details, headers, cause }: Failure = {}) {
    super(requestId === undefined ? message : `${message} (request ${requestId})`, { cause })
    this.status = status
    this.code = code
    this.requestId = requestId
    this.details = details ?? {}
    this.headers = headers
  }
}

/** 400: the request is invalid. */
export class BadRequestError extends PlatformError {}
/** 401: credentials are missing or invalid. */
export class AuthenticationError extends PlatformError {}
/** 402: the request needs a plan, or exceeds the limits of the plan. */
export class PaymentRequiredError extends PlatformError {}
/** 403: the caller has no permission. */
export class PermissionDeniedError extends PlatformError {}
/** 404: the resource does not exist or belongs to another user. */
export class NotFoundError extends PlatformError {}
/** 409: the request conflicts with the current state of the resource. */
export class ConflictError extends PlatformError {}
/** 429: a rate limit or a monthly limit is exceeded. */
export class RateLimitError extends PlatformError {}
/** 5xx: the platform failed, or a setting that the feature needs is missing. */
export class ServerError extends PlatformError {}
/** No response arrived, or the connection broke. */
export class ConnectionError extends PlatformError {}
/** The request timed out. */
export class TimeoutError extends ConnectionError {}

// Written out because minifiers change class names.
const kinds = {
  PlatformError,
  BadRequestError,
  AuthenticationError,
  PaymentRequiredError,
  PermissionDeniedError,
  NotFoundError,
  ConflictError,
  RateLimitError,
  ServerError,
  ConnectionError,
  TimeoutError,
}
for (const [name, kind] of Object.entries(kinds)) {
  kind.prototype.name = name
  Object.defineProperty(kind, 'name', { value: name })
}

const byStatus: Record<number, typeof PlatformError> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  429: RateLimitError,
}

/** Returns the error for an error response. */
export function errorOf(
  body: unknown,
  { status, headers }: { status?: number; headers?: Headers } = {},
): PlatformError {
  const isObject = typeof body === 'object' && body !== null
  const { error, code, error_description, ...details } = (isObject ? body : {}) as Record<
    string,
    unknown
  >
  const Kind = byStatus[status ?? 0] ?? ((status ?? 0) >= 500 ? ServerError : PlatformError)
  const words = error_description ?? error
  return new Kind(typeof words === 'string' ? words : `HTTP ${status}`, {
    status,
    // OAuth sends its error codes in `error` (RFC 6749, section 5.2).
    code: (error_description === undefined ? code : error) as string | undefined,
    requestId: headers?.get('x-request-id') ?? undefined,
    details,
    headers,
  })
}

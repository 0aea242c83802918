import type { ErrorCode } from '../generated/types.ts'

/** What is known of a failure beside its words. */
export interface Failure {
  status?: number | undefined
  code?: string | undefined
  requestId?: string | undefined
  details?: Record<string, unknown> | undefined
  headers?: Headers | undefined
  cause?: unknown
}

/** Every failure of the client. Its message is for people and names the request where there was one. */
export class PlatformError extends Error {
  /** The HTTP status of the answer; undefined where none came. */
  declare readonly status: number | undefined
  declare readonly code: ErrorCode | (string & {}) | undefined
  /** What operators find the request by. */
  declare readonly requestId: string | undefined
  /** Fields of the answer beside `error` and `code`, such as `missing`, `current` and `limit`. */
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

/** 400: the request is wrong as it stands. */
export class BadRequestError extends PlatformError {}
/** 401: no sign-in, or one that is not good. */
export class AuthenticationError extends PlatformError {}
/** 402: it takes a plan, or there is no room in it. */
export class PaymentRequiredError extends PlatformError {}
/** 403: the caller may not do this. */
export class PermissionDeniedError extends PlatformError {}
/** 404: it is not there, or not the caller's. */
export class NotFoundError extends PlatformError {}
/** 409: the state of things does not allow it. */
export class ConflictError extends PlatformError {}
/** 429: too much, for now or for this month. */
export class RateLimitError extends PlatformError {}
/** 500 and above: the platform failed, or lacks a setting. */
export class ServerError extends PlatformError {}
/** No answer came, or it broke off. */
export class ConnectionError extends PlatformError {}
/** It did not come within the time allowed. */
export class TimeoutError extends ConnectionError {}

// By their own names, which their code does not keep when it is made small.
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

/** The error that an answer's body tells of. */
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
    // OAuth has its codes in `error` (RFC 6749, 5.2).
    code: (error_description === undefined ? code : error) as string | undefined,
    requestId: headers?.get('x-request-id') ?? undefined,
    details,
    headers,
  })
}

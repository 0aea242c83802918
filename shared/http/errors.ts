import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { type ErrorKind, PlatformError } from '../platform/errors.ts'

/** Maps every kind of error to its status, for the whole platform; a kind without a status does not compile. */
export const statusOf: Record<ErrorKind, ContentfulStatusCode> = {
  'bad-request': 400,
  unauthorized: 401,
  'payment-required': 402,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  conflict: 409,
  'precondition-failed': 412,
  'payload-too-large': 413,
  'range-not-satisfiable': 416,
  'too-many-requests': 429,
  internal: 500,
  'not-implemented': 501,
  'bad-gateway': 502,
  unavailable: 503,
  timeout: 504,
}

/**
 * The form of an error's body: the platform's own, OpenAI's, Anthropic's, OAuth's or JSON-RPC's. `json-rpc` applies to
 * bad requests only: other errors occur before a message is read.
 */
export type ErrorForm = 'platform' | 'openai' | 'anthropic' | 'oauth' | 'json-rpc'

interface ErrorForms {
  errorForm?: ErrorForm
  /** The form of errors for a request with this header. */
  otherErrorForm?: { header: string; form: ErrorForm }
}

/** Returns the form of the errors of a route for a request. A header can select the other form. */
export function errorFormOf(
  { errorForm = 'platform', otherErrorForm: other }: ErrorForms,
  { headers }: Request,
): ErrorForm {
  return other !== undefined && headers.has(other.header) ? other.form : errorForm
}

/**
 * Returns the error form for a path without a route: the form of the routes with the same first path segment. If model
 * APIs of several vendors share the segment, it is OpenAI's.
 */
export function formsBelow(
  routes: readonly { path: string; errorForm?: ErrorForm }[],
): (path: string) => ErrorForm {
  const groups = Map.groupBy(routes, ({ path }) => firstPart(path))
  return (path) => {
    const group = groups.get(firstPart(path)) ?? []
    const forms = new Set(group.map(({ errorForm = 'platform' }) => errorForm))
    const [form = 'platform'] = forms
    if (forms.size === 1) return form
    return forms.has('openai') && !forms.has('platform') ? 'openai' : 'platform'
  }
}

function firstPart(path: string): string {
  return path.split('/', 2)[1] ?? ''
}

/** Converts a thrown value to an error for callers. An internal error becomes a 500 without details. */
export function toPlatformError(thrown: unknown): PlatformError {
  if (thrown instanceof PlatformError) return thrown
  // Hono's validator throws its own error for a body that is not JSON.
  if (thrown instanceof HTTPException && thrown.status === 400)
    return new PlatformError('bad-request', 'Malformed JSON in request body', { cause: thrown })
  return new PlatformError('internal', 'Internal server error', { cause: thrown })
}

const openAiType: Partial<Record<ErrorKind, string>> = {
  unauthorized: 'authentication_error',
  'payment-required': 'insufficient_quota',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  conflict: 'invalid_request_error',
  'too-many-requests': 'rate_limit_error',
  'bad-request': 'invalid_request_error',
  'payload-too-large': 'invalid_request_error',
}

/** https://platform.claude.com/docs/en/api/errors, in a copy read on 2026-11-27. */
const anthropicType: Partial<Record<ErrorKind, string>> = {
  'bad-request': 'invalid_request_error',
  unauthorized: 'authentication_error',
  'payment-required': 'billing_error',
  forbidden: 'permission_error',
  'not-found': 'not_found_error',
  'method-not-allowed': 'invalid_request_error',
  conflict: 'conflict_error',
  'payload-too-large': 'request_too_large',
  'too-many-requests': 'rate_limit_error',
  unavailable: 'overloaded_error',
  timeout: 'timeout_error',
}

/** RFC 6749, 5.2, for errors without a code. */
const oauthCode: Partial<Record<ErrorKind, string>> = {
  'too-many-requests': 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
}

/**
 * Returns the body of an error's response.
 * @param requestId only Anthropic's form contains it
 */
export function errorBody(
  error: PlatformError,
  form: ErrorForm,
  requestId?: string,
): Record<string, unknown> {
  if (form === 'openai')
    return {
      error: {
        message: error.message,
        type: openAiType[error.kind] ?? 'api_error',
        code: error.code ?? null,
        param: null,
        ...error.details,
      },
    }
  if (form === 'anthropic')
    return {
      type: 'error',
      error: {
        type: anthropicType[error.kind] ?? 'api_error',
        message: error.message,
        ...(error.code !== undefined && { code: error.code }),
        ...error.details,
      },
      request_id: requestId ?? null,
    }
  if (form === 'oauth')
    return {
      error: error.code ?? oauthCode[error.kind] ?? 'invalid_request',
      error_description: error.message,
    }
  if (form === 'json-rpc' && error.kind === 'bad-request') {
    // JSON-RPC 2.0, 5.1: text that is not JSON, or JSON that is not a request; their `id` is null.
    const code = error.cause instanceof HTTPException ? -32_700 : -32_600
    return { jsonrpc: '2.0', id: null, error: { code, message: error.message } }
  }
  return {
    ...error.details,
    error: error.message,
    ...(error.code !== undefined && { code: error.code }),
  }
}

/** Refusals that last until the end of the day or month, or until the plan or a cap changes. */
const lastingCodes: ReadonlySet<string | undefined> = new Set([
  'PAYMENTS_CAP_REACHED',
  'QUOTA_EXCEEDED',
  'SPEND_CAP_REACHED',
])

/** contract.md 11: refusals that clients must not retry, although their status suggests it. */
function isLasting({ kind, code, details, headers }: PlatformError): boolean {
  if (kind === 'payment-required') return true
  if (kind !== 'too-many-requests') return false
  // If the error has Retry-After, a retry can succeed after that time.
  const full = details.limit !== undefined && headers['Retry-After'] === undefined
  return lastingCodes.has(code) || full
}

/** Returns the response for an error, in one of the error forms. */
export function errorResponse(error: PlatformError, form: ErrorForm, requestId?: string): Response {
  const headers = new Headers(error.headers)
  if (isLasting(error)) headers.set('x-should-retry', 'false')
  // RFC 9110, 15.5.2: a 401 names the way to authenticate.
  const isModelApi = form === 'openai' || form === 'anthropic'
  if (isModelApi && error.kind === 'unauthorized' && !headers.has('www-authenticate'))
    headers.set('www-authenticate', 'Bearer')
  return Response.json(errorBody(error, form, requestId), { status: statusOf[error.kind], headers })
}

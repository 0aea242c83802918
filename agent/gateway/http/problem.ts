/** An error response in OpenAI's format, which every route of the gateway uses. */
export interface ProblemBody {
  error: { message: string; type: string; code: string; param: string | null }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  500: 'server_error',
  502: 'upstream_error',
  503: 'unavailable_error',
  504: 'timeout_error',
}

/** An error for the caller, with its HTTP status and headers. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    options: { param?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.status = status
    this.code = code
    this.param = options.param ?? null
    this.headers = options.headers ?? {}
  }

  get body(): ProblemBody {
    const type = types[this.status] ?? 'invalid_request_error'
    return { error: { message: this.message, type, code: this.code, param: this.param } }
  }
}

/** The reason of an abort when the caller disconnects. */
export const callerDisconnected = new Problem(
  499,
  'caller_left',
  'The caller closed the connection',
)

/** Returns a 400 that names the invalid field. */
export function invalid(param: string, message: string): Problem {
  return new Problem(400, 'invalid_request', message, { param })
}

/** Returns a 404. */
export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `${what} not found`)
}

/** Converts a thrown value to a Problem. Errors that are not for callers become a plain 500. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  const cause = thrown
  return new Problem(500, 'internal_error', 'Something went wrong in the agent', { cause })
}

export function problemResponse({ status, body, headers }: Problem): Response {
  return Response.json(body, { status, headers })
}

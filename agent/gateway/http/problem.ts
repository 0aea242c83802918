/** An error answer in OpenAI's form, the one form of every route of the gateway. */
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

/** A failure that the caller is told of, with its HTTP status and headers. */
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

/** Why an answer has no reader any more. */
export const callerLeft = new Problem(499, 'caller_left', 'The caller closed the connection')

/** 400 that names the field at fault. */
export function invalid(param: string, message: string): Problem {
  return new Problem(400, 'invalid_request', message, { param })
}

/** 404 for a thing that is not there. */
export function notFound(what: string): Problem {
  return new Problem(404, 'not_found', `${what} not found`)
}

/** A thrown value as a problem: one that was not meant for callers becomes a bare 500. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  const cause = thrown
  return new Problem(500, 'internal_error', 'Something went wrong in the agent', { cause })
}

export function problemResponse({ status, body, headers }: Problem): Response {
  return Response.json(body, { status, headers })
}

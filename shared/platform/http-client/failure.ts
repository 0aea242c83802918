/**
 * Why a call has no answer, or not all of one: `unreachable` where none began, `upgraded` where the server would speak
 * another protocol, `idle` and `total` for the timeouts, `too-large`, `closed` where the answer broke off, `aborted`
 * where the caller left.
 */
export type HttpFailureKind =
  | 'unreachable'
  | 'upgraded'
  | 'idle'
  | 'total'
  | 'too-large'
  | 'closed'
  | 'aborted'

/** A call that failed. Its text never has the address, which may hold a secret. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind
  /** The system's own, such as `ECONNREFUSED`, where the connection failed. */
  readonly code: string | undefined

  /** @param options `cause` is the signal's reason for `aborted` */
  constructor(
    kind: HttpFailureKind,
    message: string,
    options: ErrorOptions & { code?: string } = {},
  ) {
    super(message, options)
    this.name = 'HttpFailure'
    this.kind = kind
    this.code = options.code
  }
}

/**
 * Whether it is certain that not a byte of a request reached its server: no connection was made. Everything else that
 * ends a request without an answer leaves open whether the server has carried it out.
 */
export function neverSent({ code }: HttpFailure): boolean {
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

export function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure('too-large', `the answer has more than ${maxBytes} bytes`)
}

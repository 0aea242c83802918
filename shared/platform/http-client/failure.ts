/**
 * The reason why a call has no complete response. `unreachable`: no response began; `upgraded`: the server switched to
 * another protocol; `idle` and `total`: a timeout; `too-large`: the body exceeds its limit; `closed`: the response was
 * interrupted; `aborted`: the caller disconnected.
 */
export type HttpFailureKind =
  | 'unreachable'
  | 'upgraded'
  | 'idle'
  | 'total'
  | 'too-large'
  | 'closed'
  | 'aborted'

/** A failed call. Its message never contains the address, which may contain a secret. */
export class HttpFailure extends Error {
  readonly kind: HttpFailureKind
  /** The system's error code, such as `ECONNREFUSED`, if the connection failed. */
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
 * Returns whether the server certainly received no byte of the request, because no connection was made. After every
 * other failure without a response, the server may have executed the request.
 */
export function neverSent({ code }: HttpFailure): boolean {
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

export function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure('too-large', `the answer has more than ${maxBytes} bytes`)
}

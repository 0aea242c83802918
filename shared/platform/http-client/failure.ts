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

  /** @param options `cause` is the signal's reason for `aborted` */
  constructor(kind: HttpFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HttpFailure'
    this.kind = kind
  }
}

export function tooLarge(maxBytes: number): HttpFailure {
  return new HttpFailure('too-large', `the answer has more than ${maxBytes} bytes`)
}

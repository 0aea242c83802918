/**
 * Thrown by a job whose message must wait until a known time: the message comes back at that time, without the
 * growing delays of failed messages, and no error is logged. It counts as a receive like any other.
 */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter'

  readonly seconds: number

  /** @param seconds 0 to 43,200, the longest that SQS allows */
  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}

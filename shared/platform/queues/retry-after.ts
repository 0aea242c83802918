/**
 * Thrown by a job whose message waits for something that ends at a known time, so that no fault is told of: the message
 * comes back then, and not after the growing waits of one that failed. It counts as a receive like every other.
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

/**
 * Thrown by a job whose message must wait until a known time. The message is delivered again at that time, without the
 * increasing delays of failed messages, and no error is logged. The delivery is counted like any other.
 */
export class RetryAfter extends Error {
  override readonly name = 'RetryAfter'

  readonly seconds: number

  /** @param seconds 0 to 43,200, the maximum that SQS allows */
  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}

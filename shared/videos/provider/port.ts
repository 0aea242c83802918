import type { HttpFailure } from '../../platform/http-client/failure.ts'

export interface VideoOrder {
  jobId: string
  prompt: string
  seconds?: number | undefined
  size?: string | undefined
}

/** What became of sending an order; it is sent once. */
export type OrderOutcome =
  | { kind: 'accepted'; providerId: string }
  /** It is certain that the order was not taken, and it may be sent again later. */
  | { kind: 'turned-away'; words: string; retryAfterSeconds?: number | undefined }
  /** It will never be taken. */
  | { kind: 'refused'; words: string }
  /** Whether it was taken is not known. */
  | { kind: 'unknown'; words: string }

/** How an order that was taken stands. */
export type Progress =
  | { kind: 'pending' }
  | { kind: 'made' }
  | { kind: 'failed'; words: string }
  /** The provider does not say at the moment. */
  | { kind: 'unclear'; words: string }

/** The video itself; reading it throws HttpFailure where it breaks off. */
export type Content =
  | { kind: 'video'; body: AsyncIterable<Buffer> }
  | { kind: 'failed'; words: string }
  | { kind: 'unclear'; words: string }

/** Who makes videos. What goes wrong there is an outcome; nothing of it is thrown. Words are fit to be shown to users. */
export interface VideoProvider {
  order(order: VideoOrder): Promise<OrderOutcome>
  look(providerId: string): Promise<Progress>
  content(providerId: string): Promise<Content>
  /** What a failure while the content was read is called. */
  describe(failure: HttpFailure): string
}

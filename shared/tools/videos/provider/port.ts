import type { HttpFailure } from '#shared/platform/http-client/failure.ts'

interface VideoOrder {
  jobId: string
  prompt: string
  seconds?: number | undefined
  size?: string | undefined
}

/** The outcome of sending an order. It is sent once. */
export type OrderOutcome =
  | { kind: 'accepted'; providerId: string }
  /** The order was certainly not accepted and may be sent again later. */
  | { kind: 'turned-away'; message: string; retryAfterSeconds?: number | undefined }
  /** The provider rejected the order permanently. */
  | { kind: 'refused'; message: string }
  /** It is unknown whether the order was accepted. */
  | { kind: 'unknown'; message: string }

/** The progress of an accepted order. */
type Progress =
  | { kind: 'pending' }
  | { kind: 'made' }
  | { kind: 'failed'; message: string }
  /** The provider currently gives no clear answer. */
  | { kind: 'unclear'; message: string }

/** The video's content. Reading it throws HttpFailure if the connection breaks. */
export type VideoContent =
  | { kind: 'video'; body: AsyncIterable<Buffer> }
  | { kind: 'failed'; message: string }
  | { kind: 'unclear'; message: string }

/** A video provider. Its failures are outcomes, not exceptions. `message` is a text that can be shown to users. */
export interface VideoProvider {
  order(order: VideoOrder): Promise<OrderOutcome>
  look(providerId: string): Promise<Progress>
  content(providerId: string): Promise<VideoContent>
  /** Returns the text for a failure while reading the content. */
  describe(failure: HttpFailure): string
}

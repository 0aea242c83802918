import type * as z from 'zod'
import type { QueueName } from '#shared/manifest/queues.ts'

/** A queue with the schema of its messages, which its senders and its one consumer share. */
export interface Topic<Message, Queue extends QueueName = QueueName> {
  readonly queue: Queue
  /** Created only by the consumer, so that functions that only send do not spend time on it. */
  readonly schema: () => z.ZodType<Message>
}

export type MessageOf<T> = T extends Topic<infer Message> ? Message : never

/** Declares a queue's messages, in the noun that handles them. */
export function topic<Message, Queue extends QueueName>(
  queue: Queue,
  schema: () => z.ZodType<Message>,
): Topic<Message, Queue> {
  return { queue, schema }
}

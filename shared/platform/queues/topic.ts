import type * as z from 'zod'
import type { QueueName } from '../../manifest/queues.ts'

/** A queue together with what it carries, which its senders and its one consumer share. */
export interface Topic<Message, Queue extends QueueName = QueueName> {
  readonly queue: Queue
  /** Made by the consumer alone: a function that only sends spends no time on it. */
  readonly schema: () => z.ZodType<Message>
}

export type MessageOf<T> = T extends Topic<infer Message> ? Message : never

/** Declares what a queue carries, in the noun that handles it. */
export function topic<Message, Queue extends QueueName>(
  queue: Queue,
  schema: () => z.ZodType<Message>,
): Topic<Message, Queue> {
  return { queue, schema }
}

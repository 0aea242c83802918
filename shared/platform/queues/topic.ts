import type * as z from 'zod'
import type { QueueName } from '../../manifest/queues.ts'

/** A queue together with what it carries, which its senders and its one consumer share. */
export interface Topic<Message> {
  readonly queue: QueueName
  /** Made by the consumer alone: a function that only sends spends no time on it. */
  readonly schema: () => z.ZodType<Message>
}

export type MessageOf<T> = T extends Topic<infer Message> ? Message : never

/** Declares what a queue carries, in the noun that handles it. */
export function topic<Message>(queue: QueueName, schema: () => z.ZodType<Message>): Topic<Message> {
  return { queue, schema }
}

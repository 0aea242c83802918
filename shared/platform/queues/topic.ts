import type { QueueName } from '../../manifest/queues.ts'

/** A queue together with the type of what it carries, which its senders and its one consumer share. */
export interface Topic<Message> {
  readonly queue: QueueName
  /** Never there: it only ties the type to the topic. */
  readonly message?: Message
}

/**
 * Declares what a queue carries, beside the schema by which its consumer reads it:
 * `export const notices = topic<z.output<ReturnType<typeof notice>>>('notices')`. It holds the type alone, so that a
 * function which only sends carries no schema.
 */
export function topic<Message>(queue: QueueName): Topic<Message> {
  return { queue }
}

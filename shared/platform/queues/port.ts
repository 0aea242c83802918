import type { QueueName } from '../../manifest/types.ts'

/** What the platform sends itself: at least once, perhaps late, perhaps twice, perhaps out of order. */
export interface Queues {
  /** @param delaySeconds 0 to 900; waiting is a delayed message, never a sleeping function */
  send(queue: QueueName, message: unknown, options?: { delaySeconds?: number }): Promise<void>
  /** Any number of messages, ten a request. */
  sendAll(
    queue: QueueName,
    messages: readonly { body: unknown; delaySeconds?: number }[],
  ): Promise<void>
}

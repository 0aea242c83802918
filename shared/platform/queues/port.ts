import type { Topic } from './topic.ts'

/** What the platform sends itself: at least once, perhaps late, perhaps twice, perhaps out of order. */
export interface Queues {
  /** @param delaySeconds 0 to 900; waiting is a delayed message, never a sleeping function */
  send<Message>(
    topic: Topic<Message>,
    body: NoInfer<Message>,
    options?: { delaySeconds?: number },
  ): Promise<void>
  /** Any number of messages, ten a request. */
  sendAll<Message>(topic: Topic<Message>, bodies: readonly NoInfer<Message>[]): Promise<void>
}

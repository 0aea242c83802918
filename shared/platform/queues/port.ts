import type { QueueName } from '../../manifest/queues.ts'
import type { Topic } from './topic.ts'

/** What a message is sent for; it goes with the message. */
export interface Origin {
  /** Of the request or the tick that began all this; a job hands on what it was given. */
  requestId: string
  /** Who asked in the first place, as describeActor says it. */
  askedBy: string
}

/** The queues for one request, tick or message: what is sent by them says so. */
export type QueuesFor<Queue extends QueueName = QueueName> = (origin: Origin) => Queues<Queue>

/**
 * What the platform sends itself: at least once, perhaps late, perhaps twice, perhaps out of order. `Queue` names those
 * that may be sent by, so that a verb says which it needs and a function without their grants does not compile.
 */
export interface Queues<Queue extends QueueName = QueueName> {
  /** @param delaySeconds 0 to 900; waiting is a delayed message, never a sleeping function */
  readonly send: <Message>(
    topic: Topic<Message, Queue>,
    body: NoInfer<Message>,
    options?: { delaySeconds?: number },
  ) => Promise<void>
  /** Any number of messages, ten a request. @param delaySeconds as for one */
  readonly sendAll: <Message>(
    topic: Topic<Message, Queue>,
    bodies: readonly NoInfer<Message>[],
    options?: { delaySeconds?: number },
  ) => Promise<void>
}

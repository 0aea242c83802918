import type { QueueName } from '#shared/manifest/queues.ts'
import type { Topic } from './topic.ts'

/** The origin of a message, which the message contains. */
export interface Origin {
  /** Id of the request or tick that started the chain; a job passes on the id from its message. */
  requestId: string
  /** The actor of that request, as `describeActor` formats it. */
  askedBy: string
  /** The client's address, during the request; messages do not contain it. */
  address?: string | undefined
}

/**
 * Returns the queues for one request, tick or message, which becomes the origin of all messages sent through them.
 */
export type QueuesFor<Queue extends QueueName = QueueName> = (origin: Origin) => Queues<Queue>

/**
 * The queues that the platform sends to. Messages are delivered at least once, possibly late, twice or out of order.
 * `Queue` is the type of the allowed queues, so that a function without the grants does not compile.
 */
export interface Queues<Queue extends QueueName = QueueName> {
  /** @param delaySeconds 0 to 900; to wait, send a delayed message instead of sleeping in a function */
  readonly send: <Message>(
    topic: Topic<Message, Queue>,
    body: NoInfer<Message>,
    options?: { delaySeconds?: number },
  ) => Promise<void>
  /** Sends any number of messages, ten in each request. @param delaySeconds as for `send` */
  readonly sendAll: <Message>(
    topic: Topic<Message, Queue>,
    bodies: readonly NoInfer<Message>[],
    options?: { delaySeconds?: number },
  ) => Promise<void>
}

import type { PlatformActor } from '../../shared/identity/actor.ts'
import type { Context } from '../../shared/identity/context.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { Topic } from '../../shared/platform/queues/topic.ts'

/** What a job is given of its message, beside its content. */
export interface JobContext extends Omit<Context<PlatformActor>, 'table'> {
  /** What is sent by these follows from the message and says so. Which queues, the manifest grants. */
  queues: Queues
  /** How many times the message was handed out, this one included. */
  receives: number
}

export interface Job<Message> {
  topic: Topic<Message>
  /** @throws what failed: the message then comes back */
  handle(ctx: JobContext, message: Message): Promise<void>
}

/** The handler of a function that takes a queue's messages. */
export function job<Message>(config: Config, { topic, handle }: Job<Message>) {
  const queuesFor = openQueues(config)
  return consumer({
    name: config.FUNCTION_NAME,
    topic,
    queueUrl: config.queueUrl(topic.queue),
    endpoint: config.SQS_ENDPOINT,
    handle: (message, { requestId, askedBy, seed, receives }, log) => {
      const actor = { type: 'platform', askedBy } as const
      const queues = queuesFor({ requestId, askedBy })
      return handle({ actor, log, requestId, seed, receives, queues }, message)
    },
  })
}

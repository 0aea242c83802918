import type { QueueName } from '#shared/manifest/queues.ts'
import type { Config } from '#shared/platform/config/load.ts'
import type { PlatformActor } from '#shared/platform/identity/actor.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { consumer } from '#shared/platform/queues/consume.ts'
import { openQueues, type QueueSettings } from '#shared/platform/queues/open.ts'
import type { Topic } from '#shared/platform/queues/topic.ts'
import type { QueuesOf, ServicesOf, Wire } from './wire.ts'

/**
 * The context of a job, besides its message and the services from `wire`. Its messages contain the request id and the
 * user of the handled message.
 */
export type JobContext<Queue extends QueueName = never> = Omit<
  Context<PlatformActor>,
  'table' | 'owner'
> &
  Sends<Queue> & {
    /** The number of deliveries of the message, including this one. */
    receives: number
  }

export interface Job<Services, Message, Queue extends QueueName = never> {
  topic: Topic<Message>
  /** @throws any error, after which the message is delivered again */
  handle(ctx: Services & JobContext<Queue>, message: Message): Promise<void>
}

/** The exports of each module in functions/jobs/. */
export interface JobModule<Services, Message, Settings, Queue extends QueueName> {
  job: Job<Services, Message, Queue>
  wire: Wire<Settings, Services>
}

/**
 * Use as `jobWith<typeof wire>()({ topic, handle })`: infers the types of the topic and of the services from `wire`.
 */
export function jobWith<W extends Wire<never>>() {
  return <Message>(
    job: Job<ServicesOf<W>, Message, QueuesOf<W>>,
  ): Job<ServicesOf<W>, Message, QueuesOf<W>> => job
}

/** Returns the Lambda handler of a job. */
export function jobHandler<Services, Message, Settings, Queue extends QueueName>(
  { job: { topic, handle }, wire }: JobModule<Services, Message, Settings, Queue>,
  config: Settings & QueueSettings<QueueName> & Pick<Config, 'FUNCTION_NAME'>,
) {
  const { services } = wire(config)
  const queuesFor = openQueues(config)
  return consumer({
    name: config.FUNCTION_NAME,
    topic,
    queueUrl: config.queueUrl(topic.queue),
    endpoint: config.SQS_ENDPOINT,
    handle: (message, { requestId, askedBy, seed, receives }, log) => {
      const actor = { type: 'platform', askedBy } as const
      const queues = queuesFor({ requestId, askedBy })
      return handle({ ...services, actor, log, requestId, seed, receives, queues }, message)
    },
  })
}

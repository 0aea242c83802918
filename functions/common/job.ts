import type { PlatformActor } from '../../shared/identity/actor.ts'
import type { Context } from '../../shared/identity/context.ts'
import type { Config } from '../../shared/platform/config/load.ts'
import { consumer } from '../../shared/platform/queues/consume.ts'
import { openQueues, type QueueSettings } from '../../shared/platform/queues/open.ts'
import type { Queues } from '../../shared/platform/queues/port.ts'
import type { QueueName } from '../../shared/manifest/queues.ts'
import type { Topic } from '../../shared/platform/queues/topic.ts'
import type { QueuesOf, ServicesOf, Wire } from './wire.ts'

/** What a job is given of its message, beside its content and what `wire` made. */
export interface JobContext<Queue extends QueueName = never> extends Omit<
  Context<PlatformActor>,
  'table'
> {
  /** What is sent by these follows from the message and says so. */
  queues: Queues<Queue>
  /** How many times the message was handed out, this one included. */
  receives: number
}

export interface Job<Services, Message, Queue extends QueueName = never> {
  topic: Topic<Message>
  /** @throws what failed: the message then comes back */
  handle(ctx: Services & JobContext<Queue>, message: Message): Promise<void>
}

/** What each module in functions/jobs/ exports. */
export interface JobModule<Services, Message, Settings, Queue extends QueueName> {
  job: Job<Services, Message, Queue>
  wire: Wire<Settings, Services>
}

/** `jobWith<typeof wire>()({ topic, handle })`: a job whose types are those of its topic and of what `wire` makes. */
export function jobWith<W extends Wire<never>>() {
  return <Message>(
    job: Job<ServicesOf<W>, Message, QueuesOf<W>>,
  ): Job<ServicesOf<W>, Message, QueuesOf<W>> => job
}

/** The carrier of a job: the handler of a function that takes a queue's messages. */
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

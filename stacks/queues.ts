import { functions, queues as specs, visibilitySeconds } from '#shared/manifest/index.ts'
import type { FunctionSpec, QueueName, QueueSpec } from '#shared/manifest/index.ts'
import { pascal } from './names.ts'

interface QueuePair {
  live: sst.aws.Queue
  /** Receives messages that failed `maxReceives` deliveries. */
  dead: sst.aws.Queue
}

/** The maximum of SQS: it may take days until a person looks at dead letters. */
const retentionSeconds = 14 * 24 * 60 * 60

/** The queues of the manifest with their dead-letter queues. */
export const queues = Object.fromEntries(specs.map((spec) => [spec.name, pair(spec)])) as Record<
  QueueName,
  QueuePair
>

/** Returns the function that consumes a queue. @throws Error if the manifest has none or several */
export function consumerOf(name: QueueName): FunctionSpec {
  const [consumer, ...others] = functions.filter(
    ({ trigger }) => trigger.kind === 'queue' && trigger.queue === name,
  )
  if (consumer === undefined || others.length > 0)
    throw new Error(`the queue ${name} needs exactly one consumer`)
  return consumer
}

function pair({ name, maxReceives }: QueueSpec): QueuePair {
  const dead = deadLetterQueue(name)
  const live = new sst.aws.Queue(`${pascal(name)}Queue`, {
    visibilityTimeout: `${visibilitySeconds(consumerOf(name))} seconds`,
    dlq: { queue: dead.arn, retry: maxReceives },
    transform: {
      queue: { messageRetentionSeconds: retentionSeconds, sqsManagedSseEnabled: true },
    },
  })
  new aws.sqs.RedriveAllowPolicy(`${pascal(name)}DeadSource`, {
    queueUrl: dead.url,
    redriveAllowPolicy: $jsonStringify({
      redrivePermission: 'byQueue',
      sourceQueueArns: [live.arn],
    }),
  })
  return { live, dead }
}

/** Creates a queue without a consumer. An alarm watches it, and operators redrive its messages. */
export function deadLetterQueue(name: string): sst.aws.Queue {
  return new sst.aws.Queue(`${pascal(name)}DeadQueue`, {
    transform: {
      queue: { messageRetentionSeconds: retentionSeconds, sqsManagedSseEnabled: true },
    },
  })
}

import { functions, queues as specs, visibilitySeconds } from '../shared/manifest/index.ts'
import type { FunctionSpec, QueueName, QueueSpec } from '../shared/manifest/index.ts'
import { pascal } from './names.ts'

interface QueuePair {
  live: sst.aws.Queue
  /** Where a message goes that its consumer could not take in `maxReceives` deliveries. */
  dead: sst.aws.Queue
}

/** SQS's longest: the person who looks after dead letters may be on holiday. */
const retentionSeconds = 14 * 24 * 60 * 60

/** Every queue of the manifest with its dead-letter queue. */
export const queues = Object.fromEntries(specs.map((spec) => [spec.name, pair(spec)])) as Record<
  QueueName,
  QueuePair
>

/** The one function that reads a queue. @throws Error when the manifest names none or several */
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

/** A queue that nothing consumes: an alarm watches it, and people redrive from it. */
export function deadLetterQueue(name: string): sst.aws.Queue {
  return new sst.aws.Queue(`${pascal(name)}DeadQueue`, {
    transform: {
      queue: { messageRetentionSeconds: retentionSeconds, sqsManagedSseEnabled: true },
    },
  })
}

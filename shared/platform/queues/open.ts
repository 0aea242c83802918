import type { QueueName } from '#shared/manifest/queues.ts'
import type { Config } from '../config/load.ts'
import type { QueuesFor } from './port.ts'
import { sqsQueues } from './sqs.ts'

export interface QueueSettings<Queue extends QueueName = never> extends Pick<
  Config,
  'SQS_ENDPOINT'
> {
  queueUrl: (queue: Queue) => string
}

/** Opens the queues that a function is granted, with the URLs from its settings. */
export function openQueues<Queue extends QueueName>({
  queueUrl: urlOf,
  SQS_ENDPOINT: endpoint,
}: QueueSettings<Queue>): QueuesFor<Queue> {
  return sqsQueues({ urlOf, endpoint })
}

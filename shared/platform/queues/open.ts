import type { Config } from '../config/load.ts'
import type { QueuesFor } from './port.ts'
import { sqsQueues } from './sqs.ts'

export type QueueSettings = Pick<Config, 'queueUrl' | 'SQS_ENDPOINT'>

/** The queues that a function was granted, where its settings say that they are. */
export function openQueues({ queueUrl: urlOf, SQS_ENDPOINT: endpoint }: QueueSettings): QueuesFor {
  return sqsQueues({ urlOf, endpoint })
}

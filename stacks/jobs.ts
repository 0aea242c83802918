import { functionOf } from './functions.ts'
import { queues as specs } from '../shared/manifest/index.ts'
import type { QueueName } from '../shared/manifest/index.ts'
import { pascal } from './names.ts'
import { consumerOf, queues } from './queues.ts'

/**
 * Batches side by side, at most, so that a flood of messages does not take every function of the account. Fargate
 * starts 20 tasks a second: more consumers that start agents would only be refused more often.
 */
const maximumConcurrency = (queue: QueueName) => (queue === 'provisioning' ? 2 : 10)

for (const { name } of specs) {
  const consumer = consumerOf(name)
  if (consumer.trigger.kind !== 'queue') continue
  new aws.lambda.EventSourceMapping(`${pascal(name)}Consumer`, {
    eventSourceArn: queues[name].live.arn,
    functionName: functionOf(consumer.name).name,
    batchSize: consumer.trigger.batchSize,
    // Without it one message that fails would bring its whole batch back.
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: maximumConcurrency(name) },
  })
}

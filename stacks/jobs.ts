import { aliasOf } from './aliases.ts'
import { queues as specs } from '../shared/manifest/index.ts'
import { pascal } from './names.ts'
import { consumerOf, queues } from './queues.ts'

/** So that a flood of messages does not take every function of the account. */
const usualConcurrency = 10

for (const { name, maxConcurrency = usualConcurrency } of specs) {
  const consumer = consumerOf(name)
  if (consumer.trigger.kind !== 'queue') continue
  new aws.lambda.EventSourceMapping(`${pascal(name)}Consumer`, {
    eventSourceArn: queues[name].live.arn,
    functionName: aliasOf(consumer.name).arn,
    batchSize: consumer.trigger.batchSize,
    maximumBatchingWindowInSeconds: consumer.trigger.batchWindowSeconds,
    // Without it one message that fails would bring its whole batch back.
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: maxConcurrency },
  })
}

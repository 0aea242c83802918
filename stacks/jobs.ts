import { queues as specs } from '#shared/manifest/index.ts'
import { aliasOf } from './aliases.ts'
import { pascal } from './names.ts'
import { consumerOf, queues } from './queues.ts'

/** The limit that keeps a flood of messages from using all Lambda instances of the account. */
const usualConcurrency = 10

for (const { name, maxConcurrency = usualConcurrency } of specs) {
  const consumer = consumerOf(name)
  if (consumer.trigger.kind !== 'queue') continue
  new aws.lambda.EventSourceMapping(`${pascal(name)}Consumer`, {
    eventSourceArn: queues[name].live.arn,
    functionName: aliasOf(consumer.name).arn,
    batchSize: consumer.trigger.batchSize,
    maximumBatchingWindowInSeconds: consumer.trigger.batchWindowSeconds,
    // Without this, one failed message would return its whole batch.
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: maxConcurrency },
  })
}

import { functionOf } from './functions.ts'
import { queues as specs } from './manifest/index.ts'
import { pascal } from './names.ts'
import { consumerOf, queues } from './queues.ts'

/**
 * Batches side by side, at most. Fargate starts 20 tasks a second: more consumers would only be refused more often.
 * Elsewhere it keeps a flood of messages from taking every function of the account.
 */
const maximumConcurrency = { provisioning: 2, 'task-events': 10, checks: 10, notices: 2, mails: 2 } as const

for (const { name } of specs) {
  const consumer = consumerOf(name)
  if (consumer.trigger.kind !== 'queue') continue
  new aws.lambda.EventSourceMapping(`${pascal(name)}Consumer`, {
    eventSourceArn: queues[name].live.arn,
    functionName: functionOf(consumer.name).name,
    batchSize: consumer.trigger.batchSize,
    // Without it one message that fails would bring its whole batch back.
    functionResponseTypes: ['ReportBatchItemFailures'],
    scalingConfig: { maximumConcurrency: maximumConcurrency[name] },
  })
}

import { cluster } from './containers.ts'
import { named } from './names.ts'
import { queues } from './queues.ts'

const queue = queues['task-events'].live

/** Turns every state change of a task in this cluster into a message. */
const rule = new aws.cloudwatch.EventRule('TaskStateChange', {
  name: named('task-state-change'),
  description: 'Agents that start, become healthy or stop',
  eventPattern: $jsonStringify({
    source: ['aws.ecs'],
    'detail-type': ['ECS Task State Change'],
    detail: { clusterArn: [cluster.nodes.cluster.arn] },
  }),
})

const policy = new aws.sqs.QueuePolicy('TaskEventsPolicy', {
  queueUrl: queue.url,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        actions: ['sqs:SendMessage'],
        resources: [queue.arn],
        principals: [{ type: 'Service', identifiers: ['events.amazonaws.com'] }],
        conditions: [{ test: 'ArnEquals', variable: 'aws:SourceArn', values: [rule.arn] }],
      },
    ],
  }).json,
})

new aws.cloudwatch.EventTarget(
  'TaskStateChangeTarget',
  { rule: rule.name, arn: queue.arn },
  { dependsOn: policy },
)

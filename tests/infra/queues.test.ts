import { describe, expect, test } from 'vitest'
import { functions, queues } from '#shared/manifest/index.ts'
import { declared } from './harness/declare.ts'
import { componentOf, statementsOf } from './harness/policies.ts'

const stack = declared()

const arnOf = (queue: string) => `arn:aws:sqs:eu-west-1:123456789012:${queue}`
const live = (name: string) => `${componentOf(name)}QueueQueue`
const dead = (name: string) => `${componentOf(name)}DeadQueueQueue`

test('the queues are those of the manifest and their dead-letter queues, and one for schedules', () => {
  expect([...stack.all('aws:sqs/queue:Queue').keys()].toSorted()).toEqual(
    [...queues.flatMap(({ name }) => [live(name), dead(name)]), dead('schedules')].toSorted(),
  )
})

describe.each(queues)('$name', ({ name, maxReceives }) => {
  const consumer = functions.find(
    ({ trigger }) => trigger.kind === 'queue' && trigger.queue === name,
  )

  test('moves a message to its own dead-letter queue after its attempts', () => {
    const { redrivePolicy } = stack.one('aws:sqs/queue:Queue', live(name))
    expect(JSON.parse(String(redrivePolicy))).toEqual({
      deadLetterTargetArn: arnOf(dead(name)),
      maxReceiveCount: maxReceives,
    })
  })

  test('the dead-letter queue has no other source, and keeps messages for 14 days', () => {
    const allowed = stack.one(
      'aws:sqs/redriveAllowPolicy:RedriveAllowPolicy',
      `${componentOf(name)}DeadSource`,
    )
    expect(JSON.parse(String(allowed.redriveAllowPolicy))).toEqual({
      redrivePermission: 'byQueue',
      sourceQueueArns: [arnOf(live(name))],
    })
    const queue = stack.one('aws:sqs/queue:Queue', dead(name))
    expect(queue.messageRetentionSeconds).toBe(14 * 24 * 60 * 60)
    expect(queue.redrivePolicy).toBeUndefined()
  })

  test('hides a message for at least six times its consumer’s timeout', () => {
    const { visibilityTimeoutSeconds } = stack.one('aws:sqs/queue:Queue', live(name))
    const lambda = stack.one(
      'aws:lambda/function:Function',
      `${componentOf(consumer?.name ?? '')}Function`,
    )
    expect(Number(visibilityTimeoutSeconds)).toBeGreaterThanOrEqual(Number(lambda.timeout) * 6)
  })

  test('is consumed by one function, in batches with partial failures', () => {
    const mappings = [
      ...stack.all('aws:lambda/eventSourceMapping:EventSourceMapping').values(),
    ].filter(({ eventSourceArn }) => eventSourceArn === arnOf(live(name)))
    expect(mappings).toHaveLength(1)
    expect(mappings[0]).toMatchObject({
      functionName: `arn:aws:lambda:eu-west-1:123456789012:function:agent-platform-production-${consumer?.name}:live`,
      batchSize: consumer?.trigger.kind === 'queue' ? consumer.trigger.batchSize : undefined,
      ...(consumer?.trigger.kind === 'queue' &&
        consumer.trigger.batchSize > 10 && {
          maximumBatchingWindowInSeconds: consumer.trigger.batchWindowSeconds,
        }),
      functionResponseTypes: ['ReportBatchItemFailures'],
    })
  })

  test('is encrypted', () => {
    for (const queue of [live(name), dead(name)])
      expect(stack.one('aws:sqs/queue:Queue', queue).sqsManagedSseEnabled).toBe(true)
  })
})

describe('task state events', () => {
  test('are accepted only from this cluster', () => {
    const { eventPattern } = stack.one('aws:cloudwatch/eventRule:EventRule', 'TaskStateChange')
    expect(JSON.parse(String(eventPattern))).toEqual({
      source: ['aws.ecs'],
      'detail-type': ['ECS Task State Change'],
      detail: {
        clusterArn: ['arn:aws:ecs:eu-west-1:123456789012:cluster/agent-platform-production-agents'],
      },
    })
    expect(stack.one('aws:cloudwatch/eventTarget:EventTarget', 'TaskStateChangeTarget').arn).toBe(
      arnOf(live('task-events')),
    )
  })

  test('are sent by that rule only', () => {
    const { policy } = stack.one('aws:sqs/queuePolicy:QueuePolicy', 'TaskEventsPolicy')
    expect(statementsOf(policy)).toEqual([
      {
        Effect: 'Allow',
        Action: ['sqs:SendMessage'],
        Resource: [arnOf(live('task-events'))],
        Principal: { Service: ['events.amazonaws.com'] },
        Condition: {
          ArnEquals: {
            'aws:SourceArn': [
              'arn:aws:events:eu-west-1:123456789012:rule/agent-platform-production-task-state-change',
            ],
          },
        },
      },
    ])
  })
})

describe('notifications of uploaded files', () => {
  test('are sent for uploads by link only', () => {
    const { bucket, queues } = stack.one(
      'aws:s3/bucketNotification:BucketNotification',
      'FileUploads',
    )
    expect(bucket).toBe('ObjectsBucket')
    expect(queues).toEqual([
      {
        queueArn: arnOf(live('file-uploads')),
        events: ['s3:ObjectCreated:Put'],
        filterPrefix: 'files/',
        filterSuffix: '.upload',
      },
    ])
  })

  test('are accepted from that bucket of this account only', () => {
    const { policy } = stack.one('aws:sqs/queuePolicy:QueuePolicy', 'FileUploadsPolicy')
    expect(statementsOf(policy)).toMatchObject([
      {
        Effect: 'Allow',
        Action: ['sqs:SendMessage'],
        Resource: [arnOf(live('file-uploads'))],
        Principal: { Service: ['s3.amazonaws.com'] },
        Condition: {
          ArnEquals: { 'aws:SourceArn': [expect.stringMatching(/^arn:aws:s3:::/)] },
          StringEquals: { 'aws:SourceAccount': ['123456789012'] },
        },
      },
    ])
  })
})

test('no queue accepts messages of another service', () => {
  const policies = stack.all('aws:sqs/queuePolicy:QueuePolicy')
  expect([...policies.keys()].toSorted()).toEqual([
    'FileUploadsPolicy',
    'ReceivedMailsPolicy',
    'TaskEventsPolicy',
  ])
})

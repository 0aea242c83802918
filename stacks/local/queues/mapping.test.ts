import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { QueueName } from '#shared/manifest/index.ts'
import { localCredentials } from '../clients/credentials.ts'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { createQueues } from './create.ts'
import { type QueueEngine, startQueueEngine } from './engine.ts'
import type { Mapping } from './mapping.ts'
import { startMappings } from './mappings.ts'

const functions = [
  fixture('consumer', 'queue', { kind: 'queue', queue: 'checks', batchSize: 5, maxReceives: 2 }),
]
// A long visibility timeout, so that no message returns early on a slow machine. Tests return messages explicitly.
const visibility = { checks: 600 }
const queues = [
  { name: 'checks', maxReceives: 2 },
  { name: 'notices', maxReceives: 3 },
] as const

let harness: Harness
let engine: QueueEngine
let client: SQSClient
let urls: Record<QueueName, string>
let mapping: Mapping
const problems: string[] = []
/** The body of each handled message, once for each delivery. */
const handled: string[] = []

const startMapping = () =>
  startMappings({
    client,
    host: {
      ...harness.host,
      async invoke(name, event, options) {
        const { Records } = event as SQSEvent
        return harness.host
          .invoke(name, event, options)
          .finally(() => handled.push(...Records.map(({ body }) => body)))
      },
    },
    functions,
    queueUrls: urls,
    onProblem: (_queue, message) => problems.push(message),
  })

beforeAll(async () => {
  harness = await startHarness(functions)
  engine = await startQueueEngine({ dir: `${harness.dir}/queues` })
  client = new SQSClient({ endpoint: engine.endpoint, ...localCredentials() })
  urls = await createQueues(client, { queues, functions, visibility })
  mapping = await startMapping()
})
afterAll(async () => {
  await mapping.close()
  await harness[Symbol.asyncDispose]()
  client.destroy()
  await engine.close()
})

const send = (MessageBody: string) =>
  client.send(new SendMessageCommand({ QueueUrl: urls.checks, MessageBody }))

/** Returns every delivery of a message to the function, in order. */
const deliveries = (body: string): SQSRecord[] =>
  harness.lines
    .values<SQSEvent>('event')
    .flatMap(({ Records }) => Records)
    .filter((record) => record.body === body)

const delivered = (body: string, times: number) =>
  until(`${times} deliveries of ${body}`, () => deliveries(body).length === times)

/** Waits until the function has handled a message, and makes it visible before its timeout. */
async function comesBack(body: string, times: number): Promise<void> {
  const count = () => handled.filter((one) => one === body).length
  await until(`${body} to be handled`, () => count() === times)
  const ReceiptHandle = deliveries(body).at(-1)?.receiptHandle
  const change = { QueueUrl: urls.checks, ReceiptHandle, VisibilityTimeout: 0 }
  await client.send(new ChangeMessageVisibilityCommand(change))
}

async function depth(url: string): Promise<number> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  )
  const names = ['', 'NotVisible', 'Delayed'].map(
    (kind) => `ApproximateNumberOfMessages${kind}` as 'ApproximateNumberOfMessages',
  )
  return names.reduce((sum, name) => sum + Number(Attributes?.[name]), 0)
}

const empty = (url = urls.checks) => until('an empty queue', async () => (await depth(url)) === 0)

async function dead(body: string): Promise<boolean> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: `${urls.checks}-dead`,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
    }),
  )
  return Messages.some((message) => message.Body === body)
}

describe('queues', () => {
  test('have the visibility and the dead-letter queue of the manifest', async () => {
    const plain = await createQueues(client, { queues, functions })
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: plain.checks, AttributeNames: ['All'] }),
    )
    expect(Attributes).toMatchObject({
      VisibilityTimeout: '360',
      MessageRetentionPeriod: '1209600',
    })
    expect(JSON.parse(Attributes?.['RedrivePolicy'] ?? '')).toEqual({
      deadLetterTargetArn: expect.stringMatching(/:checks-dead$/),
      maxReceiveCount: 2,
    })
    // Create the queue again with another timeout, as after a change of the manifest.
    await createQueues(client, { queues, functions, visibility })
  })
})

describe('a message', () => {
  test('reaches the function as an SQS event and is deleted after success', async () => {
    await client.send(
      new SendMessageCommand({
        QueueUrl: urls.checks,
        MessageBody: 'ok',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'value' },
          bytes: { DataType: 'Binary', BinaryValue: Buffer.from([1, 255]) },
        },
      }),
    )
    await delivered('ok', 1)
    expect(deliveries('ok')[0]).toEqual({
      messageId: expect.stringMatching(/^[\da-f-]{36}$/),
      receiptHandle: expect.stringMatching(/./),
      body: 'ok',
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: expect.stringMatching(/^\d{13}$/),
        SenderId: expect.any(String),
        ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
      },
      messageAttributes: {
        text: {
          stringValue: 'value',
          stringListValues: [],
          binaryListValues: [],
          dataType: 'String',
        },
        bytes: {
          binaryValue: 'Af8=',
          stringListValues: [],
          binaryListValues: [],
          dataType: 'Binary',
        },
      },
      md5OfBody: '444bcb3a3fcf8389296c49467f27e1d6',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:checks',
      awsRegion: 'us-east-1',
    })
    await empty()
  })

  test('a message that fails in a batch is the only one that is returned', async () => {
    const bodies = ['fail b', 'good a', 'good c']
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl: urls.checks,
        Entries: bodies.map((MessageBody, i) => ({ Id: String(i), MessageBody })),
      }),
    )
    await comesBack('fail b', 1)
    await comesBack('fail b', 2)
    expect(deliveries('fail b')[1]?.attributes.ApproximateReceiveCount).toBe('2')
    await until('the dead-letter queue', () => dead('fail b'))
    expect([deliveries('good a').length, deliveries('good c').length]).toEqual([1, 1])
    await empty()
  })

  test.each(['throw', 'nonsense', 'exit always'])(
    'a message of a batch with %s is retried and then dead',
    async (body) => {
      await send(body)
      await comesBack(body, 1)
      await comesBack(body, 2)
      await until('the dead-letter queue', () => dead(body))
      expect(deliveries(body)).toHaveLength(2)
      await empty()
    },
  )

  test.each(['exit once', 'hang once'])('survives a function that exits by %s', async (body) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await send(body)
    await delivered(body, 1)
    // The function's timeout.
    vi.advanceTimersByTime(60_000)
    await comesBack(body, 1)
    await delivered(body, 2)
    await empty()
    expect(await dead(body)).toBe(false)
  })

  test('is handled during another batch', async () => {
    await send('wait')
    await delivered('wait', 1)
    await send('ok meanwhile')
    await delivered('ok meanwhile', 1)
    expect(harness.lines.values('ended')).toEqual([])
    await send('go on')
    await until('the end of the other', () => harness.lines.values('ended').length > 0)
    await empty()
  })

  test('does not wait for the end of a poll', async () => {
    const waits: number[] = []
    for (let i = 0; i < 20; i++) {
      const sentAt = performance.now()
      await send(`quick ${i}`)
      await until('the delivery', () => deliveries(`quick ${i}`).length > 0)
      waits.push(performance.now() - sentAt)
    }
    // A poll takes seconds.
    expect(waits.sort((a, b) => a - b)[10]).toBeLessThan(1000)
  })
})

test('a mapping that closes stops polling at once and loses nothing', async () => {
  // The aborted poll may still receive the message, which then returns after its visibility timeout.
  await createQueues(client, { queues, functions, visibility: { checks: 3 } })
  await mapping.close()
  await send('ok later')
  mapping = await startMapping()
  await until('the delivery', () => deliveries('ok later').length > 0)
  const closing = Date.now()
  await mapping.close()
  // A poll takes up to twenty seconds.
  expect(Date.now() - closing).toBeLessThan(10_000)
  expect(problems).not.toContain('could not poll')
})

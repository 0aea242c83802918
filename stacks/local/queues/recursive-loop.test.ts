import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxInvocationsInChain, type QueueName } from '#shared/manifest/index.ts'
import { localCredentials } from '../clients/credentials.ts'
import { type Harness, startHarness, until } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { createQueues } from './create.ts'
import { type QueueEngine, startQueueEngine } from './engine.ts'
import type { Mapping } from './mapping.ts'
import { startMappings } from './mappings.ts'

const trigger = (queue: QueueName) =>
  ({ kind: 'queue', queue, batchSize: 1, maxReceives: 2 }) as const
const functions = [
  fixture('undeclared', 'loop', trigger('checks')),
  fixture('declared', 'loop', trigger('splits'), { grants: [{ send: 'splits' }] }),
]
const queues = [
  { name: 'checks', maxReceives: 2 },
  { name: 'splits', maxReceives: 2 },
] as const
const visibility = { checks: 3, splits: 3 }

let harness: Harness
let engine: QueueEngine
let client: SQSClient
let urls: Record<QueueName, string>
let mapping: Mapping
const problems: string[] = []

beforeAll(async () => {
  const { region, credentials } = localCredentials()
  harness = await startHarness(functions, ({ name, trigger }) => ({
    NAME: name,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    SQS_ENDPOINT: engine.endpoint,
    QUEUE_URL: trigger.kind === 'queue' ? urls[trigger.queue] : '',
  }))
  engine = await startQueueEngine({ dir: `${harness.dir}/queues` })
  client = new SQSClient({ endpoint: engine.endpoint, ...localCredentials() })
  urls = await createQueues(client, { queues, functions, visibility })
  mapping = await startMappings({
    client,
    host: harness.host,
    functions,
    queueUrls: urls,
    onProblem: (queue, message, error) => problems.push(`${queue}: ${message}: ${String(error)}`),
  })
})
afterAll(async () => {
  await mapping.close()
  await harness[Symbol.asyncDispose]()
  client.destroy()
  await engine.close()
})

const send = (queue: 'checks' | 'splits', body: number) =>
  client.send(new SendMessageCommand({ QueueUrl: urls[queue], MessageBody: String(body) }))

/** Returns the messages that a function received; each once, because a slow machine may deliver one twice. */
const received = (name: string) =>
  new Set(
    harness.lines
      .values<{ name: string; body: string }>('left')
      .filter((line) => line.name === name)
      .map(({ body }) => Number(body)),
  )

test('a chain stops after 16 invocations of one function, and its message ends in the dead-letter queue', async () => {
  const first = maxInvocationsInChain + 3
  await send('checks', first)
  // A slow machine may deliver another message twice, so that it is dead too.
  await until('the dead letter', async () => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: `${urls.checks}-dead`,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 0,
      }),
    )
    return Messages.some(({ Body }) => Body === '3')
  })
  expect([...received('undeclared')]).toEqual(
    Array.from({ length: maxInvocationsInChain }, (_, index) => first - index),
  )
  expect([...new Set(problems)]).toEqual([
    expect.stringMatching(
      /^checks: recursive loop stopped: the function undeclared was invoked 16 times/,
    ),
  ])
})

test('messages of another chain are still delivered', async () => {
  await send('checks', 100_001)
  expect(await until('its delivery', () => received('undeclared').has(100_001))).toBe(true)
})

test('a loop that the manifest shows does not stop', async () => {
  await send('splits', maxInvocationsInChain * 2)
  await until('the end of the loop', () => received('declared').has(1))
  expect(received('declared').size).toBe(maxInvocationsInChain * 2)
})

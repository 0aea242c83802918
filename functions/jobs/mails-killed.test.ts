import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { functions, queues as specs } from '#shared/manifest/index.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { queuedMailer } from '#shared/platform/mail/queued-mailer.ts'
import { sqsQueues } from '#shared/platform/queues/sqs.ts'
import { sealer } from '#shared/platform/seal.ts'
import { startOutbox } from '#stacks/local/outbox/server.ts'
import { createQueues } from '#stacks/local/queues/create.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { toQueueEvent } from '#stacks/local/queues/event.ts'
import { testOrigin } from '#tests/support/platform/message-queue.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { jobHandler } from '../common/job.ts'
import * as mailsJob from './mails.ts'

const key = 'a key of the tests, which is long enough'

let dir: string
let outbox: { endpoint: string; close(): Promise<unknown> }
let database: TestTable

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mails-killed-'))
  outbox = await startOutbox({ dir: join(dir, 'outbox') })
  database = await startTestTable()
})
afterEach(() => vi.useRealTimers())
afterAll(async () => {
  await outbox.close()
  await database.close()
  await rm(dir, { recursive: true })
})

const queue = specs.filter(({ name }) => name === 'mails')

/** Starts the queue and the function that sends emails, as on one machine. */
async function startMachine() {
  const engine = await startQueueEngine({ dir: join(dir, 'queues') })
  const { endpoint } = engine
  const client = new SQSClient({ endpoint })
  const { mails: url } = await createQueues(client, { queues: queue, functions })
  const config = loadConfig({
    QUEUE_URL_MAILS: url,
    SQS_ENDPOINT: endpoint,
    SES_ENDPOINT: outbox.endpoint,
    TABLE_NAME: database.tableName,
    DYNAMODB_ENDPOINT: database.endpoint,
    WALLET_ENCRYPTION_KEY: key,
  })
  const receive = async (QueueUrl: string) => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        MessageSystemAttributeNames: ['All'],
      }),
    )
    return Messages
  }
  return {
    queues: sqsQueues({ urlOf: () => url, endpoint })(testOrigin),
    dead: () => receive(url.replace(/mails$/, 'mails-dead')),
    /**
     * Delivers the waiting messages to a function that sends them.
     * @returns the number of messages
     */
    async deliver(): Promise<number> {
      const messages = await receive(url)
      const { batchItemFailures } = await jobHandler(
        mailsJob,
        config,
      )(toQueueEvent(messages, 'arn'))
      expect(batchItemFailures).toEqual([])
      for (const { ReceiptHandle } of messages)
        await client.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle }))
      return messages.length
    },
    /**
     * Delivers the waiting messages to a function that is killed while it sends.
     * @returns whether it reached that point
     */
    async kill(): Promise<boolean> {
      const underWay = Promise.withResolvers<true>()
      const send = () => {
        underWay.resolve(true)
        return new Promise<void>(() => {})
      }
      const wire = (settings: typeof config) => ({
        services: { ...mailsJob.wire(settings).services, mailer: { send } },
      })
      const messages = await receive(url)
      const ended = jobHandler({ job: mailsJob.job, wire }, config)(toQueueEvent(messages, 'arn'))
      return Promise.race([underWay.promise, ended.then(() => false)])
    },
    async end() {
      client.destroy()
      await engine.close()
    },
  }
}

const mail = { to: 'a@b.co', subject: 'Once', text: 'Once', html: '<p>Once</p>' }

it.each([
  // The engine is killed too, and delivers messages in flight again immediately.
  ['everything is killed every seven seconds', { seconds: 7, engine: true }],
  ['everything is killed every two minutes', { seconds: 120, engine: true }],
  // Like SQS, which delivers messages in flight again after their visibility timeout.
  ['the function is killed in each of its tries', { seconds: 181, engine: false }],
])('a mail is not given up and is sent once: %s', async (name, { seconds, engine }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const before = await readdir(join(dir, 'outbox'))
  let machine = await startMachine()
  await queuedMailer(machine.queues, sealer(key)).send({ ...mail, once: name })
  const restart = async () => {
    await machine.end()
    machine = await startMachine()
  }
  let killed = 0
  while (killed < 12) {
    if (await machine.kill()) killed++
    expect(await machine.dead()).toEqual([])
    vi.setSystemTime(Date.now() + seconds * 1000)
    if (engine) await restart()
  }
  vi.setSystemTime(Date.now() + 181_000)
  expect(await machine.deliver()).toBe(1)
  expect(await machine.deliver()).toBe(0)
  expect(await machine.dead()).toEqual([])
  expect((await readdir(join(dir, 'outbox'))).length).toBe(before.length + 1)
  await machine.end()
  lines.mockRestore()
})

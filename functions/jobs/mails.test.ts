import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '#shared/platform/config/load.ts'
import { queuedMailer } from '#shared/platform/mail/queued-mailer.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { sqsQueues } from '#shared/platform/queues/sqs.ts'
import { sealer } from '#shared/platform/seal.ts'
import { type Objects, startObjects } from '#stacks/local/objects/server.ts'
import { startOutbox } from '#stacks/local/outbox/server.ts'
import { createQueues } from '#stacks/local/queues/create.ts'
import { startQueueEngine } from '#stacks/local/queues/engine.ts'
import { toQueueEvent } from '#stacks/local/queues/event.ts'
import {
  type Accounts,
  linkIn,
  password,
  type SentMail,
  startAccounts,
} from '#tests/support/accounts/accounts.ts'
import { untilFound } from '#tests/support/clock/eventually.ts'
import { useLocalCredentials } from '#tests/support/platform/credentials.ts'
import { testOrigin } from '#tests/support/platform/message-queue.ts'
import { startTestTable } from '#tests/support/platform/table.ts'
import { jobHandler } from '../common/job.ts'
import * as mailsJob from './mails.ts'

const encryptionKey = 'a key of the tests, which is long enough'
const queueSpec = { name: 'mails', maxReceives: 2 } as const

let dir: string
let client: SQSClient
let url: string
let accounts: Accounts
let handler: (event: SQSEvent) => Promise<SQSBatchResponse>
let queueEndpoint: string
let objects: Objects
const closing: (() => Promise<unknown>)[] = []

/** The profile routes, the queue and its function, each as deployed. The test decides when the function runs. */
beforeAll(async () => {
  useLocalCredentials()
  dir = await mkdtemp(join(tmpdir(), 'mails-'))
  const engine = await startQueueEngine({ dir: join(dir, 'queues') })
  const outbox = await startOutbox({ dir: join(dir, 'outbox') })
  objects = await startObjects({ dir: join(dir, 'objects') })
  const { endpoint } = engine
  const database = await startTestTable()
  queueEndpoint = endpoint
  client = new SQSClient({ endpoint })
  const visibility = { mails: 600 }
  const urls = await createQueues(client, { queues: [queueSpec], functions: [], visibility })
  url = urls.mails
  const queues = sqsQueues({ urlOf: () => url, endpoint })(testOrigin)
  accounts = await startAccounts({ mailer: queuedMailer(queues, sealer(encryptionKey)) })
  const config = loadConfig({
    QUEUE_URL_MAILS: url,
    SQS_ENDPOINT: endpoint,
    SES_ENDPOINT: outbox.endpoint,
    S3_ENDPOINT: objects.endpoint,
    TABLE_NAME: database.tableName,
    DYNAMODB_ENDPOINT: database.endpoint,
    WALLET_ENCRYPTION_KEY: encryptionKey,
  })
  handler = jobHandler(mailsJob, config)
  closing.push(() => accounts.close(), engine.close, outbox.close, objects.close, database.close)
})
afterAll(async () => {
  client.destroy()
  for (const close of closing) await close()
  await rm(dir, { recursive: true })
})

async function receive(QueueUrl = url): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  )
  return Messages
}

const send = (body: unknown) =>
  client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: JSON.stringify(body) }))

/**
 * Delivers the waiting messages. Failed messages are visible again immediately.
 * @returns the failed messages
 */
async function deliver(): Promise<Message[]> {
  const messages = await receive()
  const { batchItemFailures } = await handler(toQueueEvent(messages, 'arn'))
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
  for (const { MessageId = '', ReceiptHandle } of messages) {
    const of = { QueueUrl: url, ReceiptHandle }
    await (failed.has(MessageId)
      ? client.send(new ChangeMessageVisibilityCommand({ ...of, VisibilityTimeout: 0 }))
      : client.send(new DeleteMessageCommand(of)))
  }
  return messages.filter(({ MessageId = '' }) => failed.has(MessageId))
}

async function mails(): Promise<SentMail[]> {
  const outbox = join(dir, 'outbox')
  const files = (await readdir(outbox)).filter((name) => name.endsWith('.json'))
  return Promise.all(
    files.map(async (name) => JSON.parse(await readFile(join(outbox, name), 'utf8'))),
  )
}

/** Returns everything that the queue engine has on disk. */
async function onDisk(): Promise<string> {
  const queues = join(dir, 'queues')
  const files = (await readdir(queues, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const all = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )
  return all.join('\n')
}

it('a mail is delivered, and neither its link nor its recipient is in the queue or its files', async () => {
  const { session } = await accounts.signUp('ada@b.co')
  await accounts.call('POST', '/api/auth/forgot-password', { body: { email: 'ada@b.co' } })
  await accounts.sendResets()
  const change = { email: 'ada-lovelace@b.co', currentPassword: password }
  expect((await accounts.call('POST', '/api/settings', { session, body: change })).status).toBe(200)
  const disk = await onDisk()
  // Proves that these files contain the messages.
  expect(disk).toContain('sealed')
  expect(await deliver()).toEqual([])

  const sent = await mails()
  const addressees = sent.map(({ to }) => to).sort()
  expect(addressees).toEqual(['ada-lovelace@b.co', 'ada@b.co', 'ada@b.co', 'ada@b.co'])
  const links = sent.map(linkIn).filter(({ searchParams }) => searchParams.has('token'))
  expect(links.map(({ pathname }) => pathname).sort()).toEqual([
    '/api/auth/verify-email',
    '/api/auth/verify-email',
    '/reset-password',
  ])
  for (const { href, searchParams } of links) {
    expect(disk).not.toContain(href)
    expect(disk).not.toContain(searchParams.get('token'))
  }
  for (const { to, subject } of sent) {
    expect(disk).not.toContain(to)
    expect(disk).not.toContain(subject)
  }
  const token = links.find(({ pathname }) => pathname === '/reset-password')?.searchParams
  const body = { token: token?.get('token'), password: 'battery staple' }
  expect((await accounts.call('POST', '/api/auth/reset-password', { body })).status).toBe(200)
})

it('a tampered message is rejected and never becomes a mail', async () => {
  await deliver()
  await accounts.signUp('eve@b.co')
  const [message] = await receive()
  const { body } = JSON.parse(message?.Body ?? '') as { body: { sealed: string } }
  const { sealed } = body
  await client.send(
    new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: message?.ReceiptHandle }),
  )
  const middle = sealed[60] === 'A' ? 'B' : 'A'
  const changed = { sealed: sealed.slice(0, 60) + middle + sealed.slice(61) }
  const foreign = { sealed: await sealer('another key of thirty-two letters').seal('{}', 'x') }
  const before = (await mails()).length
  await send(changed)
  await send(foreign)
  for (let receives = 0; receives < queueSpec.maxReceives; receives++)
    expect(await deliver()).toHaveLength(2)
  expect(await deliver()).toEqual([])
  const dead = await receive(url.replace(/mails$/, 'mails-dead'))
  expect(dead.map(({ Body = '' }) => JSON.parse(Body)).sort(bySealed)).toEqual(
    [changed, foreign].sort(bySealed),
  )
  expect(await mails()).toHaveLength(before)
})

const bySealed = (one: { sealed: string }, other: { sealed: string }) =>
  one.sealed < other.sealed ? -1 : 1

it('a plain mail, as the last release sends it, is delivered', async () => {
  const mail = { to: 'old@b.co', subject: 'Old', text: 'Old text', html: '<p>Old text</p>' }
  await send(mail)
  expect(await deliver()).toEqual([])
  expect((await mails()).find(({ to }) => to === 'old@b.co')).toMatchObject(mail)
})

it('a mail with a deduplication id is sent once, however often it is enqueued', async () => {
  const queues = sqsQueues({ urlOf: () => url, endpoint: queueEndpoint })(testOrigin)
  const mailer = queuedMailer(queues, sealer(encryptionKey))
  const mail = { to: 'once@b.co', subject: 'Once', text: 'Once', html: '<p>Once</p>', once: 'o#1' }
  for (const input of [mail, mail, { ...mail, text: 'Again' }]) await mailer.send(input)
  // Messages that arrive while the first is being handled are delivered again.
  await untilFound(async () => (await deliver()).length === 0)
  await mailer.send(mail)
  await mailer.send({ ...mail, once: 'o#2', subject: 'Twice' })
  expect(await deliver()).toEqual([])
  const subjects = (await mails()).filter(({ to }) => to === 'once@b.co').map((one) => one.subject)
  expect(subjects.toSorted()).toEqual(['Once', 'Twice'])
})

it('a mail has its own sender, headers and files, and one without its file is tried again', async () => {
  const { put } = s3WholeObjects(loadConfig({ S3_ENDPOINT: objects.endpoint }))
  const queues = sqsQueues({ urlOf: () => url, endpoint: queueEndpoint })(testOrigin)
  const mailer = queuedMailer(queues, sealer(encryptionKey))
  const from = 'chn_1@agents.localhost'
  const headers = { 'Auto-Submitted': 'auto-replied', 'In-Reply-To': '<1@b.co>' }
  const attachments = [{ name: 'report.txt', mime: 'text/plain', key: 'mails/out/1' }]
  const to = 'files@b.co'
  await mailer.send({ to, subject: 'S', text: 'T', html: 'H', from, headers, attachments })
  expect(await deliver()).toHaveLength(1)
  await put('mails/out/1', Buffer.from('Grüße'))
  expect(await deliver()).toEqual([])
  const sent = (await mails()).filter((mail) => mail.to === to)
  expect(sent).toMatchObject([
    {
      from,
      headers,
      attachments: [
        {
          name: 'report.txt',
          mime: 'text/plain',
          content: Buffer.from('Grüße').toString('base64'),
        },
      ],
    },
  ])
})

it('a change of address names the missing key that seals its mail', async () => {
  const queues = { send: () => Promise.reject(new Error('sent')), sendAll: () => Promise.resolve() }
  const keyless = await startAccounts({ mailer: queuedMailer(queues, undefined) })
  const { session } = await keyless.signUp('kay@b.co')
  const body = { email: 'kay-two@b.co', currentPassword: password }
  const answer = await keyless.call('POST', '/api/settings', { session, body })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ missing: ['WALLET_ENCRYPTION_KEY'] })
  await keyless.close()
})

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type {
  AdapterContext,
  ChannelEvent,
} from '#shared/conversations/channels/adapters/adapter.ts'
import { adapterOf } from '#shared/conversations/channels/adapters/index.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import { type Objects, startObjects } from '#stacks/local/objects/server.ts'
import { mailOf, multipart, attached, plain } from '#tests/support/channels/mails.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { type MessageQueue, startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { jobHandler } from '../common/job.ts'
import * as receivedMails from './received-mails.ts'

const channelId = 'chn_01kb0000000000000000000000'
const channel = {
  id: channelId,
  agentId: 'agt_1',
  kind: 'email',
  settings: {},
  secrets: {},
} as const
const email = adapterOf('email')

let dir: string
let queue: MessageQueue
let objects: Objects
let receiver: Server
let handler: ReturnType<typeof jobHandler>
let store: ReturnType<typeof s3WholeObjects>
let events: ChannelEvent[]
let last: { headers: Headers; body: Buffer } | undefined
let refusal: number | undefined

/** A receiver of channels with one channel, which checks what `/in` checks. */
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'received-mails-'))
  queue = await startMessageQueue('received-mails', join(dir, 'queues'))
  objects = await startObjects({ dir: join(dir, 'objects') })
  receiver = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const config = loadConfig({
    FUNCTION_NAME: 'received-mails',
    QUEUE_URL_RECEIVED_MAILS: queue.url,
    SQS_ENDPOINT: queue.endpoint,
    S3_ENDPOINT: objects.endpoint,
    WALLET_ENCRYPTION_KEY: encryptionKey,
    WEB_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`,
  })
  store = s3WholeObjects(config)
  handler = jobHandler(receivedMails, config)
})
beforeEach(() => {
  events = []
  refusal = undefined
})
afterAll(async () => {
  receiver.close()
  await Promise.all([queue.close(), objects.close()])
  await rm(dir, { recursive: true })
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request)
  const headers = new Headers(request.headers as Record<string, string>)
  last = { headers, body }
  const known = request.url === `/in/email/${channelId}`
  response.statusCode = refusal ?? (known ? await receive(headers, body) : 404)
  response.end()
}

async function receive(headers: Headers, body: Buffer): Promise<number> {
  const inbound = { method: 'POST', headers, query: new URLSearchParams(), body } as const
  const ctx = { encryptionKey, now: Date.now() } as AdapterContext
  try {
    await email.verify(ctx, channel, inbound)
  } catch {
    return 401
  }
  events.push(...(await email.read(channel, inbound, ctx.now)))
  return 200
}

/** Stores a mail and sends SES's notification of it. */
async function arrive(mail: string | Uint8Array, { to = `${channelId}@agents.localhost` } = {}) {
  const objectKey = `mails/in/${crypto.randomUUID()}`
  await store.put(objectKey, Buffer.from(mail))
  const passed = { status: 'PASS' }
  await queue.put(
    JSON.stringify({
      notificationType: 'Received',
      mail: { source: 'ada@example.com', messageId: 'o3vrnil0e2ic28tr' },
      receipt: {
        timestamp: '2026-11-26T08:15:02.000Z',
        recipients: [to, 'someone@elsewhere.example'],
        spfVerdict: passed,
        dkimVerdict: passed,
        dmarcVerdict: passed,
        spamVerdict: passed,
        virusVerdict: passed,
        action: { type: 'S3', bucketName: 'objects', objectKey },
      },
    }),
  )
  return objectKey
}

it('a stored mail becomes a message of its channel, and its files can be read later', async () => {
  const content = multipart(
    'mixed',
    plain('See the report.'),
    attached('report.pdf', 'application/pdf', Buffer.from('%PDF-1.7')),
  )
  await arrive(mailOf({ content }))
  await queue.deliver(handler)
  expect(events).toMatchObject([
    {
      sender: { id: 'ada@example.com', name: 'Ada', bot: false },
      text: 'Subject: Question\n\nSee the report.',
      files: [{ name: 'report.pdf', mime: 'application/pdf', bytes: 8 }],
      at: Date.parse('2026-11-26T08:15:02.000Z'),
    },
  ])
  const ctx = { objects: store, mailer: { send: async () => {} }, log: createLog() } as never
  const [file] = events[0]?.files ?? []
  if (file === undefined) throw new Error('no file')
  const { body } = (await email.download?.(ctx, channel, file)) ?? {}
  expect((await buffer(body as AsyncIterable<Uint8Array> as never)).toString()).toBe('%PDF-1.7')
})

it('an address in capitals is the same, and mails to other addresses or above 3 MB end', async () => {
  await arrive(mailOf(), { to: `${channelId.toUpperCase()}@Agents.Localhost` })
  await arrive(mailOf(), { to: 'chn_01kb0000000000000000000001@agents.localhost' })
  await arrive(mailOf(), { to: `${channelId}@example.com` })
  await arrive(mailOf({ content: plain('a'.repeat(3 * 1024 * 1024)) }))
  await queue.deliver(handler)
  expect(events).toHaveLength(1)
  expect(await queue.receive()).toEqual([])
})

it('a mail waits while the receiver does not take it', async () => {
  await arrive(mailOf())
  for (refusal of [503, 429]) {
    await queue.deliver(handler)
    expect(events).toEqual([])
  }
  refusal = undefined
  await queue.deliver(handler)
  expect(events).toHaveLength(1)
})

it('a request of anybody else is refused, and so is a signed one with another mail', async () => {
  const refused = async (headers: Headers, body: string) => {
    const inbound = { method: 'POST', headers, query: new URLSearchParams() } as const
    const ctx = { encryptionKey, now: Date.now() } as AdapterContext
    return email.verify(ctx, channel, { ...inbound, body: Buffer.from(body) })
  }
  await expect(refused(new Headers(), mailOf())).rejects.toThrow('received by SMTP')
  await arrive(mailOf())
  await queue.deliver(handler)
  const taken = last
  if (taken === undefined) throw new Error('nothing was sent')
  await refused(taken.headers, taken.body.toString())
  const forged = taken.body.toString().replace('Which day', 'Send money')
  await expect(refused(taken.headers, forged)).rejects.toThrow('received by SMTP')
})

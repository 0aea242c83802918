import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { type Config, loadConfig } from '#shared/platform/config/load.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { RetryAfter } from '#shared/platform/queues/retry-after.ts'
import { topic } from '#shared/platform/queues/topic.ts'
import { toQueueEvent } from '#stacks/local/queues/event.ts'
import { type MessageQueue, startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { type JobContext, jobHandler, jobWith } from './job.ts'

const text = 'what only its reader may see'

const away = new Error('the service is away')

const texts = topic('notices', () => z.object({ text: z.string() }))

/** Creates the services of the job from its settings. */
const wire = ({ PLATFORM_STAGE }: Pick<Config, 'PLATFORM_STAGE'>) => ({
  services: { stage: PLATFORM_STAGE },
})

let dir: string
let queue: MessageQueue
let handler: ReturnType<typeof jobHandler>
/** The contexts and messages that the job received. */
let inputs: (JobContext & { text: string; stage: string })[] = []
let lines: Record<string, unknown>[] = []
let problem: Error | undefined

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'job-'))
  queue = await startMessageQueue('notices', dir)
  const config = loadConfig({
    FUNCTION_NAME: 'notices',
    QUEUE_URL_NOTICES: queue.url,
    SQS_ENDPOINT: queue.endpoint,
  })
  const job = jobWith<typeof wire>()({
    topic: texts,
    handle: async (ctx, message) => {
      inputs.push({ ...ctx, ...message })
      if (problem !== undefined) throw problem
    },
  })
  handler = jobHandler({ job, wire }, config)
})
afterAll(async () => {
  await queue.close()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  inputs = []
  lines = []
  problem = undefined
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function envelope() {
  const at = new Date().toISOString()
  return { id: newSeed(), cause: newId('req'), actor: 'user:usr_1', at, body: { text } }
}

it('a job gets the cause and the caller of its message, and logs one line without the content', async () => {
  const { id, cause, ...rest } = envelope()
  await queue.put(JSON.stringify({ id, cause, ...rest }))
  await queue.deliver(handler)
  expect(inputs).toMatchObject([
    {
      text,
      requestId: cause,
      seed: id,
      receives: 1,
      actor: { askedBy: 'user:usr_1' },
      stage: 'local',
    },
  ])
  expect(lines).toEqual([
    {
      level: 'info',
      time: expect.any(String),
      message: 'message',
      function: 'notices',
      requestId: cause,
      queue: 'notices',
      messageId: id,
      actor: 'user',
      receives: 1,
      ms: expect.any(Number),
      outcome: 'done',
    },
  ])
})

it('a failed message is redelivered unchanged, and each attempt logs the error', async () => {
  const { id, cause, ...rest } = envelope()
  await queue.put(JSON.stringify({ id, cause, ...rest }))
  problem = away
  await queue.deliver(handler)
  problem = undefined
  await queue.deliver(handler)
  expect(inputs.map(({ seed }) => seed)).toEqual([id, id])
  const same = { requestId: cause, messageId: id, actor: 'user' }
  expect(lines).toMatchObject([
    { ...same, level: 'error', outcome: 'failed', receives: 1, error: { name: 'Error' } },
    { ...same, level: 'info', outcome: 'done', receives: 2 },
  ])
  expect(await queue.take()).toEqual([])
})

it('a delayed message returns at its time, and its log line reports no error', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await queue.put(JSON.stringify(envelope()))
  problem = new RetryAfter('another one is at it', 40)
  // Like the event source mapping, which returns nothing by itself.
  const [message] = await queue.receive()
  await handler(toQueueEvent(message === undefined ? [] : [message], 'arn'))
  problem = undefined
  expect(lines).toMatchObject([
    { level: 'info', outcome: 'waits', reason: 'another one is at it', seconds: 40, receives: 1 },
  ])
  vi.setSystemTime(Date.now() + 38_000)
  expect(await queue.receive()).toEqual([])
  vi.setSystemTime(Date.now() + 3000)
  await queue.deliver(handler)
  expect(lines[1]).toMatchObject({ outcome: 'done', receives: 2 })
})

it('a message without an envelope is handled too, with the same seed on each attempt', async () => {
  await queue.put(JSON.stringify({ text }))
  problem = away
  await queue.deliver(handler)
  problem = undefined
  await queue.deliver(handler)
  const [first, second] = inputs
  expect(first?.seed).toMatch(/^[0-7][0-9A-Z]{25}$/)
  expect(second).toMatchObject({ text, seed: first?.seed, requestId: first?.requestId })
  expect(newId('msg', first?.seed)).toBe(newId('msg', second?.seed))
  const [failed, done] = lines
  expect(failed).toMatchObject({ outcome: 'failed', actor: 'platform', receives: 1 })
  expect(done).toMatchObject({ outcome: 'done', actor: 'platform', receives: 2 })
  expect(done?.messageId).toBe(failed?.messageId)
})

it('two concurrent messages without envelopes have different seeds', async () => {
  await queue.put(JSON.stringify({ text }))
  await queue.put(JSON.stringify({ text }))
  await queue.deliver(handler)
  expect(new Set(inputs.map(({ seed }) => seed)).size).toBe(2)
})

it('a message that its consumer does not accept fails to compile', async () => {
  // @ts-expect-error a number is not a string
  await queue.queues.send(texts, { text: 7 })
  await queue.deliver(handler)
  expect(inputs).toEqual([])
  expect(lines).toMatchObject([{ outcome: 'failed', actor: 'public' }])
  await queue.takeTexts()
})

it.each([
  ['not JSON', `{"text": ${text}`],
  ['not a message of the topic', JSON.stringify({ text: [text] })],
  ['an envelope without a message', JSON.stringify({ ...envelope(), body: { text: [text] } })],
  ['an envelope with an invalid id', JSON.stringify({ ...envelope(), id: text })],
])('only the message that is %s fails, and no log line quotes it', async (_, body) => {
  await queue.put(body)
  await queue.put(JSON.stringify(envelope()))
  await queue.deliver(handler)
  expect(inputs).toHaveLength(1)
  expect(lines.map(({ outcome }) => outcome).sort()).toEqual(['done', 'failed'])
  expect(JSON.stringify(lines)).not.toContain(text)
  expect(await queue.takeTexts()).toEqual([body])
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { type Config, loadConfig } from '#shared/platform/config/load.ts'
import type { QueueSettings } from '#shared/platform/queues/open.ts'
import { topic } from '#shared/platform/queues/topic.ts'
import { type MessageQueue, startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { type JobContext, jobHandler, jobWith } from './job.ts'
import { tickHandler, type TickOf } from './tick.ts'

const texts = topic('notices', () => z.string())

const wire = (_: QueueSettings<'notices'>) => ({ services: { first: 'first' } })

let dir: string
let queue: MessageQueue
let config: Config
let lines: Record<string, unknown>[]

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tick-'))
  queue = await startMessageQueue('notices', dir)
  const { url: QUEUE_URL_NOTICES, endpoint: SQS_ENDPOINT } = queue
  config = loadConfig({ FUNCTION_NAME: 'schedules', QUEUE_URL_NOTICES, SQS_ENDPOINT })
})
afterAll(async () => {
  await queue.close()
  await rm(dir, { recursive: true, force: true })
})
beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
})
afterEach(() => vi.restoreAllMocks())

it('the messages of a tick and of its jobs are found by the tick’s id', async () => {
  const inputs: JobContext<'notices'>[] = []
  const job = jobWith<typeof wire>()({
    topic: texts,
    handle: async (ctx, text) => {
      inputs.push(ctx)
      if (text === 'first') await ctx.queues.send(texts, 'second')
    },
  })
  const again = jobHandler({ job, wire }, config)
  const tick: TickOf<typeof wire> = async ({ queues, first }) => {
    await queues.send(texts, first)
    return { sent: 1 }
  }
  await tickHandler({ tick, wire }, config)()
  await queue.deliver(again)
  await queue.deliver(again)
  const [{ requestId } = {}] = lines
  expect(lines).toMatchObject([
    { message: 'schedules tick', function: 'schedules', sent: 1 },
    { message: 'message', requestId, actor: 'platform' },
    { message: 'message', requestId, actor: 'platform' },
  ])
  expect(inputs).toMatchObject([{ requestId }, { requestId }])
  // Each message has its own seed, so that their jobs create different ids.
  expect(new Set(inputs.map(({ seed }) => seed)).size).toBe(2)
})

it('a failed tick logs the error and counts as failed', async () => {
  const tick = () => Promise.reject(new Error('the table is away'))
  const failing = tickHandler({ tick, wire }, config)
  await expect(failing()).rejects.toThrow('the table is away')
  expect(lines).toMatchObject([
    { level: 'error', message: 'schedules tick', requestId: expect.stringMatching(/^req_/) },
  ])
  expect(lines[0]).toMatchObject({ error: { message: 'the table is away' } })
})

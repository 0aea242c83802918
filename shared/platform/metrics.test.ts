import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { jobHandler, jobWith } from '#functions/common/job.ts'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { readMetrics } from '#tests/support/platform/metric-format.ts'
import { createApp } from '../http/app.ts'
import { routesWith } from '../http/route.ts'
import { loadConfig } from './config/load.ts'
import { PlatformError } from './errors.ts'
import { topic } from './queues/topic.ts'

// The stage of a deployment; the log reads it when the module loads.
vi.hoisted(() => vi.stubEnv('PLATFORM_STAGE', 'production'))

const on = useGateway()

let lines: Record<string, unknown>[]

beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
})
afterEach(() => vi.restoreAllMocks())

/** Returns the metrics of the lines with this message; their namespace contains the stage. */
function metricsOf(message: string | RegExp) {
  const found = lines.filter((line) => String(line.message).match(message)).map(readMetrics)
  for (const { namespace } of found) expect(namespace).toBe('AgentPlatform/production')
  return found.map(({ dimensions, figures }) => ({ dimensions, figures }))
}

const route = routesWith<object>()
const greet = route({
  name: 'greetings.get',
  method: 'GET',
  path: '/api/greetings/:of',
  summary: 'Greet',
  tag: 'agents',
  guard: 'none',
  params: z.object({ of: z.string() }),
  response: z.string(),
  errors: ['internal'],
  handle: (_, { params }) => {
    if (params.of === 'usr_broken') throw new Error('broken')
    if (params.of === 'usr_gone') throw new PlatformError('internal', 'gone', { foreign: true })
    return 'hello'
  },
})
const app = createApp({
  surface: 'web',
  name: 'web-greetings',
  routes: [greet],
  services: {},
  settings: {},
})

it('counts requests, their failures and their time by function and route, without caller data', async () => {
  await app.request('/api/greetings/usr_1')
  await app.request('/api/greetings/usr_broken')
  await app.request('/api/farewells/usr_1')
  await app.request('/api/greetings/usr_1', { method: 'DELETE' })
  const latency = expect.any(Number)
  const [whole] = [{ function: 'web-greetings' }]
  const dimensions = [whole, { ...whole, route: 'greetings.get' }]
  expect(metricsOf('request')).toEqual([
    { dimensions, figures: { RequestLatency: latency, RequestFailures: 0 } },
    { dimensions, figures: { RequestLatency: latency, RequestFailures: 1 } },
    { dimensions: [whole], figures: { RequestLatency: latency, RequestFailures: 0 } },
    { dimensions: [whole], figures: { RequestLatency: latency, RequestFailures: 0 } },
  ])
})

it('counts failures of caller-supplied hosts separately from the platform’s own', async () => {
  expect((await app.request('/api/greetings/usr_gone')).status).toBe(500)
  const [{ figures } = { figures: undefined }] = metricsOf('request')
  expect(figures).toMatchObject({ RequestFailures: 0, ForeignFailures: 1 })
  expect(lines).toMatchObject([{ level: 'info', status: 500, failed: 'gone' }])
})

it('counts messages, their failures and their time by queue', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'metrics-'))
  const queue = await startMessageQueue('notices', dir)
  const { url: QUEUE_URL_NOTICES, endpoint: SQS_ENDPOINT } = queue
  const config = loadConfig({ FUNCTION_NAME: 'notices', QUEUE_URL_NOTICES, SQS_ENDPOINT })
  const texts = topic('notices', () => z.string())
  const wire = () => ({ services: {} })
  const job = jobWith<typeof wire>()({
    topic: texts,
    handle: async (_, text) => {
      if (text === 'broken') throw new Error('broken')
    },
  })
  const handler = jobHandler({ job, wire }, config)
  await queue.queues.sendAll(texts, ['fine', 'broken'])
  await queue.deliver(handler)
  const dimensions = [{ queue: 'notices' }, {}]
  const latency = expect.any(Number)
  expect(metricsOf('message')).toEqual(
    expect.arrayContaining([
      { dimensions, figures: { MessageLatency: latency, MessageFailures: 0 } },
      { dimensions, figures: { MessageLatency: latency, MessageFailures: 1 } },
    ]),
  )
  await queue.close()
  await rm(dir, { recursive: true, force: true })
})

it('counts the tokens and the cost of AI calls by function and model, and no unknown cost', async () => {
  const model = 'meta-llama/llama-3.3-70b-instruct'
  on.upstream.serve(model, says('x', usage(10, 20)))
  const headers = { 'x-user-id': 'usr_counted' }
  const answer = await on.gateway.chat(hello, { headers })
  await answer.text()
  expect(answer.status).toBe(200)
  const [counted] = metricsOf(/^\[UsageLogger\] Logging/)
  expect(counted).toEqual({
    dimensions: [{ function: expect.any(String) }, { provider: expect.any(String), model }],
    figures: {
      AiInputTokens: 10,
      AiOutputTokens: 20,
      AiCostUsd: expect.any(Number),
      AiFailures: 0,
    },
  })
  expect(JSON.stringify(counted)).not.toContain('usr_counted')
})

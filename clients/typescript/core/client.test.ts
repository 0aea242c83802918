import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  events,
  hangUp,
  json,
  startFailingServer,
} from '../../../tests/support/http/failing-server.ts'
import {
  type Answer,
  type ChatEvent,
  ConnectionError,
  NotFoundError,
  Platform,
  type PlatformError,
  type PlatformOptions,
  RateLimitError,
  ServerError,
  TimeoutError,
} from '../index.ts'
import { Resource } from '../resources/resource.ts'
import { Client } from './client.ts'

const soon = { 'retry-after-ms': '1' }
const agents = json(200, { agents: [{ id: 'agt_1' }], count: 1, status: 'ok' })

async function asked(
  replies: Parameters<typeof startFailingServer>,
  options: PlatformOptions = {},
) {
  const server = await startFailingServer(...replies)
  const platform = new Platform({ baseUrl: server.url, apiKey: 'sk_test', ...options })
  return { server, platform, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Returns the error that a promise rejects with. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error as PlatformError,
  )

describe('a request', () => {
  it('carries the key, the requested fields, and an idempotency key only if the operation accepts one', async () => {
    await using one = await asked([
      json(200, { messages: [], total: 0 }, { 'x-request-id': 'req_1' }),
    ])
    const told: unknown[] = []
    const platform = new Platform({
      baseUrl: `${one.server.url}/`,
      apiKey: 'sk_test',
      onResponse: ({ operation, status, requestId }) => told.push({ operation, status, requestId }),
    })
    const { response, data, requestId } = await platform.agents.messages
      .list('a/b', { limit: 3 })
      .withResponse()
    expect(data.total).toBe(0)
    expect({ status: response.status, requestId }).toEqual({ status: 200, requestId: 'req_1' })
    expect(one.server.seen).toMatchObject([
      { method: 'GET', url: '/api/agents/a%2Fb/messages?limit=3', body: '' },
    ])
    expect(one.server.seen[0]?.headers).toMatchObject({ authorization: 'Bearer sk_test' })
    expect(one.server.seen[0]?.headers).not.toHaveProperty('idempotency-key')
    expect(told).toEqual([
      { operation: 'GET /api/agents/{id}/messages', status: 200, requestId: 'req_1' },
    ])
  })

  it.each<[string, (platform: Platform) => Promise<unknown>]>([
    ['the name of an operation', (platform) => platform.request('GET /api/agents')],
    ['method and path', (platform) => platform.request('GET', '/api/agents')],
  ])('can call any operation, by %s', async (_by, request) => {
    await using one = await asked([agents])
    expect(await request(one.platform)).toEqual({
      agents: [{ id: 'agt_1' }],
      count: 1,
      status: 'ok',
    })
    expect(await one.platform.agents.list()).toEqual([{ id: 'agt_1' }])
  })

  it('is not sent if a part of its path is missing', async () => {
    await using one = await asked([agents])
    await expect(one.platform.agents.get('')).rejects.toThrow('GET /api/agents/{id} needs id')
    for (const id of ['.', '..'])
      await expect(one.platform.agents.get(id)).rejects.toThrow(
        'GET /api/agents/{id} has no such id',
      )
    expect(one.server.seen).toEqual([])
  })

  it.each([
    ['a file', new Blob(['PK'], { type: 'application/zip' })],
    ['bytes', new Uint8Array([80, 75])],
  ])('carries %s unchanged', async (_what, body) => {
    await using one = await asked([agents])
    await one.platform.request('POST /api/agents', { body, type: 'application/zip' })
    expect(one.server.seen[0]?.headers['content-type']).toBe('application/zip')
    expect(one.server.seen[0]?.body).toBe('PK')
  })

  it('returns a file before its body has arrived', async () => {
    class Files extends Resource {
      read = this.download('GET /api/files/{id}' as never) as (id: string) => Answer<Response>
    }
    const sent: ServerResponse[] = []
    await using one = await asked([
      (response) => {
        sent.push(response)
        response.writeHead(200, { 'content-type': 'application/zip' }).write('P')
      },
    ])
    const files = new Files(new Client({ baseUrl: one.server.url }))
    const { data, response } = await files.read('1').withResponse()
    expect(data).toBe(response)
    sent[0]?.end('K')
    expect(await data.text()).toBe('PK')
    expect(one.server.seen).toMatchObject([{ url: '/api/files/1' }])
  })
})

describe('a request that fails', () => {
  it.each([
    ['a closed connection', hangUp],
    ['408', json(408, {}, soon)],
    [
      '409 of a concurrent request',
      json(409, { error: 'wait', code: 'IDEMPOTENCY_IN_PROGRESS' }, soon),
    ],
    ['429', json(429, { error: 'slower' }, soon)],
    ['429 with seconds', json(429, { error: 'slower' }, { 'retry-after': '0' })],
    ['429 with a date', json(429, {}, { 'retry-after': new Date(0).toUTCString() })],
    ['429 with the limit’s own header', json(429, {}, { 'ratelimit-reset': '0' })],
    ['500', json(500, { error: 'oh' }, soon)],
    ['503', json(503, { error: 'busy' }, soon)],
    ['400 with x-should-retry', json(400, {}, { ...soon, 'x-should-retry': 'true' })],
  ])('is retried, under one key if it creates something: %s', async (_why, failure) => {
    const made = json(201, { success: true, agent: { id: 'agt_1' } })
    await using one = await asked([failure, failure, made])
    expect(await one.platform.agents.create({ name: 'Rhythm' })).toEqual({ id: 'agt_1' })
    const keys = one.server.seen.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0], keys[0]])
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/)
    expect(new Set(one.server.seen.map(({ body }) => body))).toEqual(new Set(['{"name":"Rhythm"}']))
  })

  it.each([
    ['400', json(400, { error: 'no' })],
    ['404', json(404, { error: 'no' })],
    ['409 of another kind', json(409, { error: 'no', code: 'AGENT_NOT_RUNNING' })],
    ['429 without a retry', json(429, { error: 'no' }, { 'x-should-retry': 'false' })],
    ['429 for longer than a minute', json(429, { error: 'no' }, { 'retry-after': '3600' })],
    ['501', json(501, { error: 'no' })],
    ['503 for a missing setting', json(503, { error: 'no', missing: ['EVM_RPC_URL'] })],
  ])('is not retried if a retry cannot help: %s', async (_why, failure) => {
    await using one = await asked([failure, agents])
    await expect(one.platform.agents.list()).rejects.toThrow('no')
    expect(one.server.seen).toHaveLength(1)
  })

  it('is not retried if it could act twice, nor if its caller disables retries', async () => {
    await using one = await asked([json(503, { error: 'busy' }, soon)])
    await expect(one.platform.keys.create({ name: 'CI' })).rejects.toThrow(ServerError)
    expect(one.server.seen).toHaveLength(1)
    await expect(one.platform.agents.list({ maxRetries: 0 })).rejects.toThrow(ServerError)
    expect(one.server.seen).toHaveLength(2)
    await expect(one.platform.agents.list()).rejects.toThrow(ServerError)
    expect(one.server.seen).toHaveLength(5)
  })

  it('reports the platform’s error', async () => {
    const body = { error: 'No room', code: 'QUOTA_EXCEEDED', limit: 5 }
    const headers = { 'x-request-id': 'req_7', 'x-should-retry': 'false' }
    await using one = await asked([json(429, body, headers)])
    const error = await failureOf(one.platform.agents.list())
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({
      name: 'RateLimitError',
      message: 'No room (request req_7)',
      status: 429,
      code: 'QUOTA_EXCEEDED',
      requestId: 'req_7',
      details: { limit: 5 },
    })
    expect(await failureOf(one.platform.agents.list().withResponse())).toMatchObject({
      status: 429,
    })
  })

  it('reports that no response arrived, or that it timed out', async () => {
    await using silent = await asked([() => undefined], { maxRetries: 0 })
    expect(await failureOf(silent.platform.agents.list({ timeoutMs: 1 }))).toBeInstanceOf(
      TimeoutError,
    )
    await using gone = await asked([hangUp], { maxRetries: 0 })
    const error = await failureOf(gone.platform.agents.list())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error.status).toBeUndefined()
  })

  it('ends with its caller’s reason when it is aborted, also between two attempts', async () => {
    await using one = await asked([json(429, { error: 'slower' }, { 'retry-after': '50' })])
    const controller = new AbortController()
    const reason = new Error('enough')
    const platform = new Platform({
      baseUrl: one.server.url,
      onResponse: () => setImmediate(() => controller.abort(reason)),
    })
    expect(await failureOf(platform.agents.list({ signal: controller.signal }))).toBe(reason)
    expect(await failureOf(platform.agents.list({ signal: controller.signal }))).toBe(reason)
  })
})

describe('a turn that streams', () => {
  const delta = 'event: delta\ndata: {"content":"Hel"}\n\n'
  const done = 'event: done\ndata: {"id":"msg_1","reply":"Hello"}\n\n'
  const turn = async (platform: Platform) => {
    const told: ChatEvent[] = []
    for await (const event of platform.chat.stream({ agentId: 'agt_1', message: 'Hi' }))
      told.push(event)
    return told
  }

  it('arrives in pieces and is sent once', async () => {
    await using one = await asked([events(delta + done)])
    expect(await turn(one.platform)).toEqual([
      { type: 'delta', content: 'Hel' },
      { type: 'done', id: 'msg_1', reply: 'Hello' },
    ])
    expect(JSON.parse(one.server.seen[0]?.body ?? '')).toMatchObject({ stream: true })
    expect(one.server.seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })

  it.each([
    [
      'an error',
      events(`${delta}event: error\ndata: {"error":"Left","code":"AGENT_FAILED"}\n\n`),
      'Left',
    ],
    ['an early end', events(delta), 'The stream was interrupted'],
    ['an interrupted connection', events(delta, true), 'The stream was interrupted'],
    ['a rejection', json(503, { error: 'busy' }, soon), 'busy'],
  ])('fails by %s, and is not sent again', async (_by, reply, words) => {
    await using one = await asked([reply])
    expect(await failureOf(turn(one.platform))).toMatchObject({ message: words })
    expect(one.server.seen).toHaveLength(1)
  })

  it('ends without an error when its reader stops or aborts it, and closes the connection', async () => {
    const left: Promise<unknown>[] = []
    await using one = await asked([
      (response) => {
        left.push(new Promise((closed) => response.on('close', closed)))
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(delta)
      },
    ])
    for await (const event of one.platform.chat.stream({ message: 'Hi' })) {
      expect(event).toMatchObject({ content: 'Hel' })
      break
    }
    const controller = new AbortController()
    const options = { signal: controller.signal }
    for await (const _ of one.platform.chat.stream({ message: 'Hi' }, options)) controller.abort()
    await Promise.all(left)
    expect(left).toHaveLength(2)
  })

  it('can be read as lines', async () => {
    await using one = await asked([events(delta + done)])
    const lines = one.platform.chat.stream({ message: 'Hi' }).toReadableStream()
    expect((await new Response(lines).text()).split('\n').map((line) => line.slice(0, 16))).toEqual(
      ['{"content":"Hel"', '{"id":"msg_1","r', ''],
    )
  })
})

it('reads missing options from the environment', async () => {
  await using one = await asked([json(404, { error: 'Agent not found' })])
  process.env.PLATFORM_URL = one.server.url
  process.env.PLATFORM_API_KEY = 'sk_environment'
  try {
    await expect(new Platform().agents.get('agt_1')).rejects.toThrow(NotFoundError)
  } finally {
    delete process.env.PLATFORM_URL
    delete process.env.PLATFORM_API_KEY
  }
  expect(one.server.seen[0]?.headers.authorization).toBe('Bearer sk_environment')
})

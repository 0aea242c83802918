import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { edgeAddressProof } from '#shared/http/client-address.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { eventsOf } from '../support/ai/gateway.ts'
import { says, startUpstream, type Upstream, usage } from '../support/ai/upstream.ts'
import { eventually } from '../support/clock/eventually.ts'
import { startOf } from '../support/http/carrier.ts'
import { internalKey } from '../support/http/internal-caller.ts'
import type { Worker } from '../support/http/workerd.ts'
import { settingsOf, startTestTable, type TestTable } from '../support/platform/table.ts'

const [model = ''] = modelSetsOf({}).demo

let database: TestTable
let upstream: Upstream
let worker: Worker

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())
beforeEach(async () => {
  upstream = await startUpstream()
  worker = await startOf('web-demo', {
    ...settingsOf(database.table),
    AI_BASE_URL: upstream.baseUrl,
    WEB_URL: 'http://localhost:3000',
    SST_RESOURCE_AI_API_KEY: JSON.stringify({ value: 'from-a-link' }),
    SST_RESOURCE_ORIGIN_SECRET: JSON.stringify({ value: 'the-origin-secret' }),
  })
})
afterEach(async () => {
  await worker.close()
  await upstream.close()
})

const ask = (headers: Record<string, string> = {}) =>
  fetch(`${worker.url}/api/demo/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"message":"Hi"}',
  })

const remaining = (answer: Response) => Number(answer.headers.get('ratelimit-remaining'))

/**
 * Sends a request and resets the connection at a moment. A reset, since workerd continues if a client has only closed
 * its own half.
 */
async function hangUp({ url }: Worker, route: string, body: string, moment: Promise<void>) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    `${route} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await moment
  socket.resetAndDestroy()
  await once(socket, 'close')
}

describe('a worker', () => {
  it('reads a secret that SST linked to it', async () => {
    upstream.serve(model, says('Yes.', usage(5, 1)))
    expect((await ask()).status).toBe(200)
    expect(upstream.asked[0]?.authorization).toBe('Bearer from-a-link')
  })

  it('counts by the address from Cloudflare, or from CloudFront with the origin’s secret, and by no other', async () => {
    upstream.serve(model, says('Yes.', usage(5, 1)))
    const first = await ask({ 'cf-connecting-ip': '192.0.2.1' })
    const forwarded = { 'cf-connecting-ip': '192.0.2.1', 'x-forwarded-for': '198.51.100.9' }
    expect(remaining(await ask(forwarded))).toBe(remaining(first) - 1)
    const viewer = { ...forwarded, 'x-viewer-ip': '198.51.100.9' }
    expect(remaining(await ask(viewer))).toBe(remaining(first) - 2)
    const proven = await ask({
      ...viewer,
      'x-origin-secret': 'the-origin-secret',
      'x-viewer-ip-proof': await edgeAddressProof('the-origin-secret'),
    })
    expect(remaining(proven)).toBe(remaining(first))
  })

  it('records a turn whose caller disconnected in the middle', async () => {
    const requested = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<void>()
    upstream.serve(model, async (response, request) => {
      requested.resolve()
      await answer.promise
      await says('Yes.', usage(1000, 100))(response, request)
    })
    await hangUp(worker, 'POST /api/demo/chat', '{"message":"Hi"}', requested.promise)
    const before = (await eventsOf(database.table, 'demo')).length
    answer.resolve()
    await eventually(async () => {
      const events = await eventsOf(database.table, 'demo')
      expect(events.slice(before)).toMatchObject([{ inputTokens: 1000, outputTokens: 100 }])
    })
  })

  it('gives the next caller a list that a disconnected caller requested', async () => {
    const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let times = 0
    const lists = createServer(async (_request, response) => {
      times++
      requested.resolve()
      await released.promise
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: [] }))
    })
    await once(lists.listen(0, '127.0.0.1'), 'listening')
    const apart = await startOf('web-demo', {
      ...settingsOf(database.table),
      AI_BASE_URL: `http://127.0.0.1:${(lists.address() as AddressInfo).port}`,
      WEB_URL: 'http://localhost:3000',
    })
    try {
      await hangUp(apart, 'GET /api/models', '', requested.promise)
      // Once it has answered this request, it has seen the reset too.
      expect((await fetch(`${apart.url}/api/demo/chat`)).status).toBe(200)
      const next = fetch(`${apart.url}/api/models`)
      released.resolve()
      expect([(await next).status, times]).toEqual([200, 1])
    } finally {
      lists.closeAllConnections()
      lists.close()
      await apart.close()
    }
  })

  it('returns 500 in JSON if its engine is gone, and continues', async () => {
    upstream.serve(model, says('Yes.', usage(5, 1)))
    const apart = await startOf('web-demo', {
      TABLE_NAME: 'platform',
      DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
      AI_BASE_URL: upstream.baseUrl,
      WEB_URL: 'http://localhost:3000',
    })
    try {
      const answer = await fetch(`${apart.url}/api/demo/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"message":"Hi"}',
      })
      expect([answer.status, await answer.json()]).toEqual([500, { error: expect.any(String) }])
      expect((await fetch(`${apart.url}/nowhere`)).status).toBe(404)
    } finally {
      await apart.close()
    }
  })
})

it('an invalid setting prevents a worker’s start', async () => {
  await expect(
    startOf('backend-infra-tools', { INTERNAL_API_KEY: internalKey, RATE_LIMITS: 'sometimes' }),
  ).rejects.toThrow('workerd does not run')
})

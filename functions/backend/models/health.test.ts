import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startModels } from '#tests/support/ai/models.ts'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'

const open: Server[] = []

beforeEach(ownTimeouts)

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A provider that answers requests for its models as the test says. */
async function provider(answer: RequestListener): Promise<{ baseUrl: string; asked(): number }> {
  let requestCount = 0
  const server = createServer((request, response) => {
    requestCount++
    answer(request, response)
  })
  open.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked: () => requestCount }
}

const answers = (status: number): RequestListener => {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
}

/** A port without a listener. */
const nowhere = 'http://127.0.0.1:1/v1'

const health = (models: ReturnType<typeof startModels>) => models.get('/api/ai/health')

const named = (providers: Record<string, { baseUrl: string; apiKey?: string }>) =>
  JSON.stringify(providers)

describe('the health of the model providers', () => {
  it('is healthy when every provider responds', async () => {
    const one = await provider(answers(200))
    const other = await provider(answers(200))
    const before = Date.now()
    const { status, body } = await health(
      startModels({ AI_BASE_URL: one.baseUrl, AI_PROVIDERS: named({ spare: other }) }),
    )
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'healthy',
      providers: { router: true, spare: true },
      timestamp: expect.any(String),
    })
    expect(Date.parse(String(body.timestamp))).toBeGreaterThanOrEqual(before)
  })

  it('is degraded when some do not, and names them', async () => {
    const one = await provider(answers(200))
    const refusing = await provider(answers(401))
    const { status, body } = await health(
      startModels({
        AI_BASE_URL: one.baseUrl,
        AI_PROVIDERS: named({ gone: { baseUrl: nowhere }, refusing }),
      }),
    )
    expect([status, body.status]).toEqual([200, 'degraded'])
    expect(body.providers).toEqual({ router: true, gone: false, refusing: false })
  })

  it('is an error when no provider responds', async () => {
    const { status, body } = await health(startModels({ AI_BASE_URL: nowhere }))
    expect(status).toBe(503)
    expect(body).toEqual({ status: 'error', error: 'No AI provider answers' })
  })

  it('is an error that names the settings if no provider is configured', async () => {
    const { status, body } = await health(startModels({}))
    expect(status).toBe(503)
    expect(body).toEqual({
      status: 'error',
      error: 'AI is not configured',
      missing: ['AI_BASE_URL', 'AI_API_KEY'],
    })
  })

  it.each([
    ['rejects the key', answers(401), false],
    ['forbids the key', answers(403), false],
    ['requires a payment', answers(402), false],
    ['exceeds its rate limit', answers(429), false],
    ['fails', answers(500), false],
    ['is in maintenance', answers(503), false],
    ['disconnects', ((request) => request.socket.destroy()) as RequestListener, false],
    ['lists no models', answers(404), true],
    ['lists models', answers(200), true],
  ])('the health of a second provider that %s is reported', async (_, behaviour, answered) => {
    const well = await provider(answers(200))
    const other = await provider(behaviour)
    const { body } = await health(
      startModels({ AI_BASE_URL: well.baseUrl, AI_PROVIDERS: named({ other }) }),
    )
    expect(body.providers).toEqual({ router: true, other: answered })
  })

  it('sends the provider’s own key, and times out', async () => {
    const keys: (string | undefined)[] = []
    const well = await provider((request, response) => {
      keys.push(request.headers.authorization)
      answers(200)(request, response)
    })
    const silent = await provider((_, response) => passTime(() => !response.destroyed, 30))
    const { body } = await health(
      startModels({
        AI_BASE_URL: well.baseUrl,
        AI_API_KEY: 'the-key',
        AI_PROVIDERS: named({ silent }),
      }),
    )
    expect(body.providers).toEqual({ router: true, silent: false })
    expect(keys).toEqual(['Bearer the-key'])
  })

  it('reads only the headers of a list', async () => {
    const endless = await provider((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => response.write('x'.repeat(65_536), more)
      more()
    })
    const { body } = await health(startModels({ AI_BASE_URL: endless.baseUrl }))
    expect(body.providers).toEqual({ router: true })
  })

  it('is measured once in a few seconds, under any load', async () => {
    let now = 1_700_000_000_000
    const one = await provider(answers(200))
    const models = startModels({ AI_BASE_URL: one.baseUrl, now: () => now })
    const first = await Promise.all(Array.from({ length: 20 }, () => health(models)))
    expect(one.asked()).toBe(1)
    expect(new Set(first.map(({ body }) => body.timestamp)).size).toBe(1)
    now += 4999
    await health(models)
    expect(one.asked()).toBe(1)
    now += 1
    const { body } = await health(models)
    expect(one.asked()).toBe(2)
    expect(body.timestamp).toBe(new Date(now).toISOString())
  })

  it('follows the recovery and the failure of a provider', async () => {
    let now = 1_700_000_000_000
    let status = 500
    const one = await provider((request, response) => answers(status)(request, response))
    const models = startModels({ AI_BASE_URL: one.baseUrl, now: () => now })
    expect((await health(models)).status).toBe(503)
    status = 200
    now += 5000
    expect((await health(models)).status).toBe(200)
    status = 500
    now += 5000
    expect((await health(models)).status).toBe(503)
  })
})

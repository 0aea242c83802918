import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { agentHeaders } from '#shared/http/agent-proof.ts'
import { createApp } from '#shared/http/app.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { openSlot } from '#shared/platform/slots/open.ts'
import { pageSource } from '#shared/tools/pages/node/source.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { type Site, startSite } from '#tests/support/tools/pages.ts'
import { articleRoutes as routes } from '../article-routes.ts'

let database: TestTable
let site: Site
beforeAll(async () => {
  database = await startTestTable()
  site = await startSite((_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<title>Tides</title><article><p>The moon pulls at the sea.</article>'),
  )
})
afterAll(async () => {
  await site.close()
  await database.close()
})

const agent = (n: number) => `agt_${String(n).padStart(26, '0')}`
const secret = 'the-origin-secret'
const asAgent = (n: number, by = secret) => agentHeaders(agent(n), by)

/** Reads articles from one address; each page has a price. */
function reader(sourceIp: string) {
  const app = createApp({
    surface: 'summarizer',
    name: 'articles',
    routes,
    services: {
      pages: pageSource({ allowed: [site.host] }),
      sell: () => Promise.reject(new PlatformError('payment-required', 'Payment required')),
    },
    settings: { INTERNAL_API_KEY: 'the-internal-key', ORIGIN_SECRET: secret },
    table: database.table,
  })
  return async (headers: Record<string, string> = {}) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ url: site.origin }),
    }
    return app.request('/api/read', init, { requestContext: { http: { sourceIp } } })
  }
}

it('an article is free for an agent, with its own limit, even if its address has exhausted its limit', async () => {
  // Everything happens within one minute.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = reader('192.0.2.1')
  const crowd = async (n: number, headers?: Record<string, string>) => {
    const statuses: number[] = []
    for (let i = 0; i < n; i += 10)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => read(headers)))).map(
          ({ status }) => status,
        ),
      )
    return new Set(statuses)
  }
  expect(await crowd(300)).toEqual(new Set([402]))
  expect((await read()).status).toBe(429)
  const served = await read(await asAgent(1))
  expect([served.status, await served.json()]).toMatchObject([200, { title: 'Tides' }])
  expect(served.headers.get('ratelimit-remaining')).toBe('299')
  await crowd(300, { ...(await asAgent(1)), 'content-type': 'text/plain' })
  expect((await read(await asAgent(1))).status).toBe(429)
  expect((await read(await asAgent(2))).status).toBe(200)
})

it.each<[string, Record<string, string>, string?]>([
  ['no proof', { 'x-agent-proof': '' }],
  ['a proof without an agent', { 'x-agent-id': '' }],
  ['another agent’s proof', { 'x-agent-id': agent(6) }],
  ['a proof under another secret', {}, 'another-secret'],
  ['the secret itself', { 'x-agent-proof': `${Date.now()}.${secret}` }],
  ['a time without a signature', { 'x-agent-proof': `${Date.now()}.` }],
  ['the platform’s own key', { 'x-agent-proof': '', authorization: 'Bearer the-internal-key' }],
  ['the agent’s own key', { 'x-agent-proof': '', authorization: `Bearer ak_${'0'.repeat(64)}` }],
])('an article has a price for an agent with %s', async (_, changed, by) => {
  const fetched = site.connections()
  const read = await reader('192.0.2.2')({ ...(await asAgent(3, by)), ...changed })
  expect([read.status, site.connections()]).toEqual([402, fetched])
})

it('an article has a price for an agent with a proof that is more than a minute old or early, or has a changed date', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const read = reader('192.0.2.4')
  const now = Date.now()
  const shown = await asAgent(7)
  for (const [away, status] of [
    [60, 200],
    [-60, 200],
    [61, 402],
    [-61, 402],
  ] as const) {
    vi.setSystemTime(now + away * 1000)
    expect((await read(shown)).status).toBe(status)
  }
  const signature = shown['x-agent-proof']!.split('.')[1]!
  const dated = { ...shown, 'x-agent-proof': `${Date.now()}.${signature}` }
  expect((await read(dated)).status).toBe(402)
})

it('an agent is limited by its own open pages, not by those of its address', async () => {
  const address = '192.0.2.3'
  const read = reader(address)
  const { open } = routes[0]!
  const hold = (holder: string) =>
    Promise.all(Array.from({ length: open!.most }, () => openSlot(database.table, open!, holder)))
  const slots = await hold(address)
  expect((await read()).status).toBe(429)
  expect((await read(await asAgent(4))).status).toBe(200)
  slots.push(...(await hold(`agent-${agent(4)}`)))
  const refused = await read(await asAgent(4))
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'TOO_MANY_OPEN' }])
  expect((await read(await asAgent(5))).status).toBe(200)
  await Promise.all(slots.map((slot) => slot.release()))
})

import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openSlot } from '../../../shared/platform/slots/open.ts'
import { createApp } from '../../../shared/http/app.ts'
import { pageSource } from '../../../shared/pages/node/source.ts'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { type Site, startSite } from '../../../tests/support/pages.ts'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'
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
const asAgent = (n: number) => ({
  authorization: 'Bearer the-internal-key',
  'x-agent-id': agent(n),
})

/** Asks for an article from one address, where each page is sold. */
function reader(sourceIp: string) {
  const app = createApp({
    surface: 'summarizer',
    name: 'articles',
    routes,
    services: {
      pages: pageSource({ allowed: [site.host] }),
      sell: () => Promise.reject(new PlatformError('payment-required', 'Payment required')),
    },
    settings: { INTERNAL_API_KEY: 'the-internal-key' },
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

it('is read by an agent without a price and by its own limit, while its address has used up all of its own', async () => {
  // All of it is within one minute.
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
  const served = await read(asAgent(1))
  expect([served.status, await served.json()]).toMatchObject([200, { title: 'Tides' }])
  expect(served.headers.get('ratelimit-remaining')).toBe('299')
  await crowd(300, { ...asAgent(1), 'content-type': 'text/plain' })
  expect((await read(asAgent(1))).status).toBe(429)
  expect((await read(asAgent(2))).status).toBe(200)
})

it.each<[string, Record<string, string>, number]>([
  ['no bearer', { 'x-agent-id': agent(3) }, 402],
  ['another bearer', { ...asAgent(3), authorization: 'Bearer the-internal-kez' }, 402],
  ['an agent’s own key', { ...asAgent(3), authorization: `Bearer ak_${'0'.repeat(64)}` }, 402],
  ['another scheme', { ...asAgent(3), authorization: 'Basic the-internal-key' }, 402],
  ['the bearer without an agent', { authorization: asAgent(3).authorization }, 400],
  ['the bearer and a name that is no agent’s', { ...asAgent(3), 'x-agent-id': 'usr_1' }, 400],
])('is as anyone else’s by %s', async (_, headers, status) => {
  const fetched = site.connections()
  expect([(await reader('192.0.2.2')(headers)).status, site.connections()]).toEqual([
    status,
    fetched,
  ])
})

it('is read by an agent while its address has as many pages open as it may, and not once the agent has', async () => {
  const address = '192.0.2.3'
  const read = reader(address)
  const { open } = routes[0]!
  const hold = (holder: string) =>
    Promise.all(Array.from({ length: open!.most }, () => openSlot(database.table, open!, holder)))
  const slots = await hold(address)
  expect((await read()).status).toBe(429)
  expect((await read(asAgent(4))).status).toBe(200)
  slots.push(...(await hold(`agent-${agent(4)}`)))
  const refused = await read(asAgent(4))
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'TOO_MANY_OPEN' }])
  expect((await read(asAgent(5))).status).toBe(200)
  await Promise.all(slots.map((slot) => slot.release()))
})

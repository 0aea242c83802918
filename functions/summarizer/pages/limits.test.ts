import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { routes } from '../pages.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('an address reads 300 pages a minute, and a further page is not fetched', async () => {
  // Everything happens within one minute.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let fetched = 0
  const ask = () => {
    fetched++
    return Promise.reject(new Error('no page'))
  }
  const { table } = database
  const services = { pages: { ask } }
  const settings = loadConfig({})
  const app = createApp({ surface: 'summarizer', name: 'pages', routes, services, settings, table })
  const read = async (path: string, sourceIp: string) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"url":"http://page.example/"}',
    }
    return app.request(path, init, { requestContext: { http: { sourceIp } } })
  }
  // One address can have ten open requests.
  for (let i = 0; i < 29; i++)
    await Promise.all(Array.from({ length: 10 }, () => read('/api/summarize', '192.0.2.1')))
  const last = await Promise.all(
    Array.from({ length: 10 }, () => read('/api/extract', '192.0.2.1')),
  )
  expect([last.map(({ status }) => status), fetched]).toEqual([Array(10).fill(500), 300])
  const refused = await read('/api/summarize', '192.0.2.1')
  expect([refused.status, fetched]).toEqual([429, 300])
  expect(refused.headers.get('ratelimit-limit')).toBe('300')
  expect(await refused.json()).toEqual({ error: 'Too many requests, please slow down.' })
  expect((await read('/api/summarize', '198.51.100.1')).status).toBe(500)
})

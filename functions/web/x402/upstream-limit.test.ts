import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { x402Routes } from '#tests/support/x402/caller.ts'

let database: TestTable

beforeAll(async () => {
  database = await startTestTable()
})
afterAll(() => database.close())

it('the gateway’s routes respond to one address sixty times a minute, together', async () => {
  const app = x402Routes(database.table, { limits: 'on' })
  const ask = (method: string, ip = '198.51.100.6') =>
    app.request(
      '/api/x402',
      {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' && { body: '{"action":"endpoints"}' }),
      },
      { requestContext: { http: { sourceIp: ip } } },
    )
  const first = await ask('POST')
  expect([first.status, first.headers.get('ratelimit-limit')]).toEqual([200, '60'])
  let passed = 1
  let refused = await ask('GET')
  for (; refused.status !== 429; refused = await ask(passed % 2 ? 'POST' : 'GET')) passed++
  // A new minute, with a new count, can begin in between.
  expect(passed).toBeGreaterThanOrEqual(60)
  expect(passed).toBeLessThan(120)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('POST', '198.51.100.7')).status).toBe(200)
})

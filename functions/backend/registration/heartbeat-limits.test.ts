import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { registerInstallation } from '#shared/accounts/installations/register.ts'
import { createApp } from '#shared/http/app.ts'
import { encryptionKey } from '#tests/support/accounts/registration.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { routes } from '../registration.ts'

let db: TestTable
let beat: (userId: string, ip: string) => Promise<Response>

beforeAll(async () => {
  db = await startTestTable()
  const services = { table: db.table, encryptionKey, webUrl: 'https://example.com' }
  const app = createApp({
    surface: 'backend',
    name: 'backend-registration',
    routes,
    services,
    settings: { RATE_LIMITS: 'on' },
    table: db.table,
  })
  beat = async (userId, ip) =>
    app.request(
      '/api/heartbeat',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ userId }),
      },
      { requestContext: { http: { sourceIp: ip } } },
    )
  // Every request of a test is in the same minute.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterAll(async () => {
  vi.useRealTimers()
  await db.close()
})

describe('heartbeats', () => {
  it('heartbeats of a stranger do not count against the limit of an installation', async () => {
    const userId = 'usr_beaten'
    await registerInstallation(trusted({ table: db.table, encryptionKey }), {
      userId,
      mode: 'home',
    })
    const answers = []
    for (let n = 0; n < 121; n++) answers.push((await beat(userId, '203.0.113.1')).status)
    expect(answers.filter((status) => status === 429)).toHaveLength(1)
    expect((await beat(userId, '198.51.100.1')).status).toBe(200)
    // A neighbour at the same address is counted separately.
    expect((await beat('usr_neighbour', '203.0.113.1')).status).toBe(200)
  })

  it('heartbeats of one address are at most 300 a minute, over all users they name', async () => {
    const answers = []
    for (let n = 0; n < 302; n++) answers.push((await beat(`usr_${n}`, '203.0.113.2')).status)
    expect(answers.filter((status) => status === 200)).toHaveLength(300)
  })

  it('reveal in no header whether the user has an installation', async () => {
    const userId = 'usr_hidden'
    await registerInstallation(trusted({ table: db.table, encryptionKey }), {
      userId,
      mode: 'home',
    })
    await beat('usr_unknown', '203.0.113.3')
    const shown = async (id: string) => {
      const { headers } = await beat(id, '203.0.113.3')
      return headers.get('ratelimit-remaining')
    }
    expect(await shown(userId)).toBe(await shown('usr_nobody'))
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordInstallation } from '#shared/accounts/installations/record-heartbeat.ts'
import { registerInstallation } from '#shared/accounts/installations/register.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { trusted } from '#tests/support/platform/context.ts'

let accounts: Accounts
let user: { id: string; session: string }
let users = 0

beforeAll(async () => {
  accounts = await startAccounts()
})
afterAll(() => accounts.close())
beforeEach(async () => {
  user = await accounts.signUp(`heart-${++users}@b.co`)
})

async function call(method: string, body?: unknown) {
  const session = { session: user.session, ...(body !== undefined && { body }) }
  const answer = await accounts.call(method, '/api/heartbeat', session)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const heartbeat = async () => (await call('GET')).body.heartbeat

const defaults = { frequency: '3h', enabled: true, lastHeartbeat: null, nextHeartbeat: null }

describe('the heartbeat', () => {
  it('is every three hours by default, and empty without an installation', async () => {
    expect((await call('GET')).body).toEqual({ heartbeat: defaults, message: expect.any(String) })
  })

  it('is updated and reset', async () => {
    const { status, body } = await call('POST', { frequency: '30m' })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...defaults,
      frequency: '30m',
      lastUpdated: expect.any(String),
      message: expect.any(String),
    })
    await call('POST', { enabled: false })
    expect(await heartbeat()).toEqual({ ...defaults, frequency: '30m', enabled: false })
    for (let i = 0; i < 2; i++)
      expect((await call('DELETE')).body).toEqual({ success: true, message: expect.any(String) })
    expect(await heartbeat()).toEqual(defaults)
  })

  it('returns the last and the next time of an installation, unless it is disabled', async () => {
    const lastSeen = '2026-11-21T08:00:00.000Z'
    const { table } = accounts
    const registration = trusted({ table, encryptionKey: undefined })
    const at = Date.parse(lastSeen)
    await registerInstallation(registration, { userId: user.id, mode: 'home' }, at - 3_600_000)
    expect(await heartbeat()).toMatchObject({ lastHeartbeat: '2026-11-21T07:00:00.000Z' })
    await recordInstallation({ table }, { userId: user.id }, at)
    await call('POST', { frequency: '6h' })
    expect(await heartbeat()).toEqual({
      frequency: '6h',
      enabled: true,
      lastHeartbeat: lastSeen,
      nextHeartbeat: '2026-11-21T14:00:00.000Z',
    })
    await call('POST', { enabled: false })
    expect(await heartbeat()).toMatchObject({ lastHeartbeat: lastSeen, nextHeartbeat: null })
  })

  it.each([[{ frequency: '5m' }], [{ frequency: 3 }], [{ enabled: 'yes' }]])(
    'rejects %j and changes nothing',
    async (body) => {
      expect((await call('POST', body)).status).toBe(400)
      expect(await heartbeat()).toEqual(defaults)
    },
  )

  it('is each user’s own, and requires a session', async () => {
    await call('POST', { frequency: '24h' })
    user = await accounts.signUp(`heart-${++users}@b.co`)
    expect(await heartbeat()).toEqual(defaults)
    expect((await accounts.call('GET', '/api/heartbeat')).status).toBe(401)
  })
})

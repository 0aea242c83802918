import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recordInstallation } from '#shared/accounts/installations/record-heartbeat.ts'
import { registerInstallation } from '#shared/accounts/installations/register.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import {
  encryptionKey,
  type RegistrationStack,
  startRegistration,
} from '#tests/support/accounts/registration.ts'
import type { Answered } from '#tests/support/http/internal-caller.ts'
import { trusted } from '#tests/support/platform/context.ts'
import { recording } from '#tests/support/platform/recorded-table.ts'

interface Shown {
  userId: string
  mode: string
  registeredAt: string
  lastSeen: string
  status: string
}

let stack: RegistrationStack
let userId: string

beforeAll(async () => {
  stack = await startRegistration()
})
afterAll(() => stack.close())
beforeEach(() => {
  userId = stack.newUserId()
})

const home = (body: unknown) => stack.call('POST', '/api/register-home', { body })
const link = (body: unknown) => stack.call('POST', '/api/register-link', { body })

async function listed(query = '', as?: string, { call } = stack): Promise<Shown[]> {
  const [status, body] = await call<{ count: number; installations: Shown[] }>(
    'GET',
    `/api/installations${query}`,
    as === undefined ? {} : { userId: as },
  )
  expect([status, body]).toEqual([
    200,
    { success: true, count: body.installations.length, installations: expect.any(Array) },
  ])
  return body.installations
}

async function shown(): Promise<Shown | undefined> {
  return (await listed()).find((one) => one.userId === userId)
}

const done = [
  200,
  {
    success: true,
    message: expect.any(String),
    dashboardUrl: 'https://example.com/dashboard',
  },
]

describe('POST /api/register-home and /api/register-link', () => {
  it('register one installation per user, which the list returns as active', async () => {
    expect(await home({ userId })).toEqual(done)
    const first = await shown()
    expect(first).toEqual({
      userId,
      mode: 'home',
      registeredAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastSeen: first?.registeredAt,
      status: 'active',
    })
    expect(await link({ userId, mode: 'anything at all' })).toEqual(done)
    const installations = (await listed()).filter((one) => one.userId === userId)
    expect(installations).toMatchObject([{ mode: 'link', registeredAt: first?.registeredAt }])
  })

  it.each(['home', 'link', 'cloud'])('accept the mode %s', async (mode) => {
    expect((await home({ userId, mode }))[0]).toBe(200)
    expect(await shown()).toMatchObject({ mode })
  })

  it('keep the time of the first registration, under concurrent registrations', async () => {
    await Promise.all(Array.from({ length: 20 }, () => home({ userId })))
    const registeredAt = (await shown())?.registeredAt
    await home({ userId, mode: 'cloud' })
    expect(await shown()).toMatchObject({ mode: 'cloud', registeredAt })
    expect((await listed()).filter((one) => one.userId === userId)).toHaveLength(1)
  })

  it('seal the gateway token for its user, return it nowhere, and delete it with the next registration', async () => {
    const gatewayToken = `token of ${userId}`
    const [, body] = await home({ userId, gatewayToken })
    expect(JSON.stringify([body, await listed()])).not.toContain(gatewayToken)
    const rows = async () => (await stack.table.query({ pk: userPartition(userId) })).items
    const stored = await rows()
    expect(JSON.stringify(stored)).not.toContain(gatewayToken)
    const sealed = String(stored.find(({ sk }) => sk === 'gateway-token')?.sealed)
    const seals = sealer(encryptionKey)
    expect(await seals.open(sealed, `installation-token#${userId}`)).toBe(gatewayToken)
    expect(await seals.open(sealed, 'installation-token#usr_other')).toBeUndefined()
    await link({ userId })
    expect((await rows()).map(({ sk }) => sk)).toEqual(['installation'])
  })

  it.each([
    [{}, 'userId required'],
    [{ userId: '' }, 'userId required'],
    [{ userId: 7 }, 'userId required'],
    [{ userId: null }, 'userId required'],
    [{ userId: 'a\nb' }, 'userId'],
    [{ userId: '@platform' }, 'userId'],
    [{ userId: `usr_${'a'.repeat(125)}` }, 'userId'],
    [{ userId: 'usr_1#installation' }, 'userId'],
    [{ userId: 'usr_1', gatewayToken: '' }, 'gatewayToken'],
    [{ userId: 'usr_1', gatewayToken: 'x'.repeat(513) }, 'gatewayToken'],
    [{ userId: 'usr_1', gatewayToken: { $ne: 1 } }, 'gatewayToken'],
  ])('reject %j', async (body, named) => {
    for (const register of [home, link]) {
      const [status, answer] = await register(body)
      expect([status, answer]).toEqual([400, { error: expect.stringContaining(named) }])
    }
    expect(await listed('', 'usr_1')).toEqual([])
  })

  it.each(['HOME', 'server', 1, null])('reject the mode %j', async (mode) => {
    const refused = [400, { error: 'mode must be one of home, link, cloud' }]
    expect(await home({ userId, mode })).toEqual(refused)
    expect(await shown()).toBeUndefined()
  })

  it('ignore fields of a prototype', async () => {
    const text = `{"__proto__":{"userId":"${userId}"}}`
    expect((await stack.call('POST', '/api/register-home', { text }))[0]).toBe(400)
    const both = `{"userId":"${userId}","__proto__":{"mode":"cloud"},"constructor":1}`
    expect((await stack.call('POST', '/api/register-home', { text: both }))[0]).toBe(200)
    expect(await shown()).toMatchObject({ mode: 'home' })
  })

  it('register and list only for the user in x-user-id', async () => {
    const other = stack.newUserId()
    const [status] = await stack.call('POST', '/api/register-home', {
      userId: other,
      body: { userId },
    })
    expect(status).toBe(400)
    await home({ userId })
    expect(await listed('', other)).toEqual([])
    expect(await listed('', userId)).toMatchObject([{ userId }])
  })

  it.each([
    ['POST', '/api/register-home'],
    ['POST', '/api/register-link'],
    ['GET', '/api/installations'],
    ['POST', '/api/invite/generate'],
  ])('require a trusted caller: %s %s', async (method, path) => {
    const ask = async (bearer: string | null): Promise<Answered> =>
      stack.call(method, path, { bearer, ...(method === 'POST' && { body: { userId } }) })
    expect((await ask(null))[0]).toBe(401)
    expect((await ask(`sk_${'0'.repeat(64)}`))[0]).toBe(403)
    expect((await ask('wrong'))[0]).toBe(403)
    expect(await shown()).toBeUndefined()
  })
})

describe('GET /api/installations', () => {
  it('returns pages by user, newest first, and each installation once', async () => {
    const fresh = await startRegistration()
    try {
      const context = trusted({ table: fresh.table, encryptionKey })
      const begin = Date.now() - 1_000
      const ids = Array.from({ length: 25 }, fresh.newUserId)
      for (const [i, id] of ids.entries())
        await registerInstallation(context, { userId: id, mode: 'home' }, begin + i)
      const pages: string[][] = []
      for (let after = ''; ; after = `&after=${pages.at(-1)?.at(-1)}`) {
        const page = await listed(`?limit=10${after}`, undefined, fresh)
        if (page.length === 0) break
        pages.push(page.map((one) => one.userId))
      }
      expect(pages.map(({ length }) => length)).toEqual([10, 10, 5])
      expect(pages.flat()).toEqual(ids.toReversed())
    } finally {
      await fresh.close()
    }
  })

  it('returns an empty page after a user without an installation', async () => {
    await home({ userId })
    expect(await listed(`?after=${stack.newUserId()}`)).toEqual([])
    expect(await listed('?limit=0')).toEqual([])
    expect(await listed('?limit=1')).toHaveLength(1)
  })

  it.each(['?limit=-1', '?limit=ten', '?after=', '?after=a%0Ab', '?after=%40platform'])(
    'rejects %s',
    async (query) => {
      expect((await stack.call('GET', `/api/installations${query}`))[0]).toBe(400)
    },
  )
})

describe('POST /api/heartbeat', () => {
  const beat = (text?: string) =>
    stack.call('POST', '/api/heartbeat', { bearer: null, ...(text !== undefined && { text }) })
  const answer = [200, { success: true, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) }]

  it('activates an installation that was not seen for a day', async () => {
    const day = 86_400_000
    const context = trusted({ table: stack.table, encryptionKey })
    await registerInstallation(context, { userId, mode: 'home' }, Date.now() - 2 * day)
    expect(await shown()).toMatchObject({ status: 'inactive' })
    await recordInstallation(stack, { userId }, Date.now() - day)
    expect(await shown()).toMatchObject({ status: 'inactive' })
    await recordInstallation(stack, { userId }, Date.now() - day + 60_000)
    expect(await shown()).toMatchObject({ status: 'active' })
    const [, { timestamp }] = await beat(JSON.stringify({ userId }))
    expect(await shown()).toMatchObject({ status: 'active', lastSeen: timestamp })
    // A heartbeat that was delayed for long does not move the time back.
    await recordInstallation(stack, { userId }, Date.now() - day)
    expect(await shown()).toMatchObject({ lastSeen: timestamp })
  })

  it.each([
    ['no body', undefined],
    ['no user', '{}'],
    ['an unknown user', '{"userId":"usr_unknown"}'],
    ['an invalid user', '{"userId":"a\\nb#c"}'],
    ['a very long string', JSON.stringify({ userId: 'a'.repeat(100_000) })],
    ['an empty string', '{"userId":""}'],
    ['a prototype’s name', '{"__proto__":{"userId":"usr_unknown"}}'],
  ])('returns the same, and creates nothing, with %s', async (_, text) => {
    expect(await beat(text)).toEqual(answer)
    const { items } = await stack.table.query({ pk: userPartition('usr_unknown') })
    expect(items).toEqual([])
  })

  it('makes one write, whether or not the user is known', async () => {
    await home({ userId })
    for (const id of [userId, stack.newUserId()]) {
      const { table, calls } = recording(stack.table)
      await recordInstallation({ table }, { userId: id }, Date.now() + 1_000)
      expect(calls).toEqual(['update'])
    }
  })

  it.each(['{"userId":7}', '{"userId":null}', '{"userId":["usr_1"]}', '[]', '{'])(
    'rejects a heartbeat with %s',
    async (text) => {
      expect((await beat(text))[0]).toBe(400)
    },
  )
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { sessionOf } from '#tests/support/accounts/accounts.ts'
import { password } from '#tests/support/accounts/accounts.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { eventually } from '#tests/support/clock/eventually.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let on: Keys

beforeAll(async () => {
  on = await startKeys()
})
afterAll(() => on.close())

async function signIn(email: string, userAgent: string, ip = '198.51.100.9'): Promise<string> {
  const body = { email, password }
  const headers = { 'user-agent': userAgent }
  return sessionOf(await on.accounts('POST', '/api/auth/login', { body, headers, ip }))
}

const sessionsOf = (session: string) => platformOver(on.accounts, { session }).auth.listSessions()

const end = (session: string, id: string) =>
  on.accounts('DELETE', `/api/auth/sessions/${id}`, { session })

const rowOf = async (session: string) => ({
  pk: `user#${session.split('.')[0]}`,
  sk: `session#${await sha256Hex(session.split('.')[1] ?? '')}`,
})

describe('the list of sessions', () => {
  it('shows how, from where and when each signed in, and marks the current one', async () => {
    await on.signUp('list@b.co')
    const phone = await signIn('list@b.co', 'Phone/1', '203.0.113.5')
    const laptop = await signIn('list@b.co', `Laptop/${'9'.repeat(400)}`)
    const shown = await sessionsOf(phone)
    expect(shown).toHaveLength(3)
    expect(shown.find(({ current }) => current)).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      createdAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
      userAgent: 'Phone/1',
      address: '203.0.113.5',
      current: true,
    })
    expect(shown.filter(({ current }) => current)).toHaveLength(1)
    expect(shown.map(({ userAgent }) => userAgent?.length)).toContain(256)
    expect(JSON.stringify(shown)).not.toContain(laptop.split('.')[1])
  })

  it('includes sessions of older releases, and omits ended ones', async () => {
    const { session } = await on.signUp('old@b.co')
    const row = await rowOf(session)
    await on.table.update(row, { remove: ['id', 'userAgent', 'address'] })
    const other = await signIn('old@b.co', 'a')
    await on.table.update(await rowOf(other), { set: { accessEpoch: -1 } })
    const [only, ...more] = await sessionsOf(session)
    expect(more).toEqual([])
    expect(only).toMatchObject({ userAgent: null, address: null, current: true })
    expect((await end(session, only?.id ?? '')).status).toBe(200)
    expect((await on.accounts('GET', '/api/auth/sessions', { session })).status).toBe(401)
  })

  it('updates lastSeenAt at most every quarter of an hour, and never backwards', async () => {
    const { session } = await on.signUp('seen@b.co')
    const [first] = await sessionsOf(session)
    expect(first?.lastSeenAt).toBe(first?.createdAt)
    const before = new Date(Date.now() - 15 * 60_000 - 1).toISOString()
    await on.table.update(await rowOf(session), { set: { lastSeenAt: before } })
    await sessionsOf(session)
    await eventually(async () => {
      const row = await on.table.get(await rowOf(session))
      expect(Date.parse(String(row?.lastSeenAt))).toBeGreaterThan(Date.parse(before))
    })
  })
})

describe('ending a session', () => {
  it('ends that session at once and no other', async () => {
    const { session } = await on.signUp('end@b.co')
    const other = await signIn('end@b.co', 'Other/1')
    const found = (await sessionsOf(session)).find(({ userAgent }) => userAgent === 'Other/1')
    const answer = await end(session, found?.id ?? '')
    expect([answer.status, await answer.json()]).toEqual([200, { success: true }])
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await on.accounts('GET', '/api/auth/sessions', { session: other })).status).toBe(401)
    expect(await sessionsOf(session)).toHaveLength(1)
    expect((await end(session, found?.id ?? '')).status).toBe(404)
  })

  it('clears the cookie of the current session', async () => {
    const { session } = await on.signUp('self@b.co')
    const [own] = await sessionsOf(session)
    const answer = await end(session, own?.id ?? '')
    expect(answer.headers.getSetCookie()[0]).toMatch(/^service-session=; Max-Age=0/)
    expect((await end(session, own?.id ?? '')).status).toBe(401)
  })

  it('returns 404 for another user’s and for a missing one', async () => {
    const ada = await on.signUp('ada@b.co')
    const bob = await on.signUp('bob@b.co')
    const [hers] = await sessionsOf(ada.session)
    for (const id of [hers?.id ?? '', 'ses_', '__proto__', 'profile', '%23', 'a'.repeat(3000)])
      expect((await end(bob.session, id)).status).toBe(404)
    expect(await sessionsOf(ada.session)).toHaveLength(1)
  })

  it('requires the cookie: a key, of any scope, is rejected', async () => {
    const { session } = await on.signUp('key@b.co')
    const { key } = await on.newKey(session, 'all', { scopes: ['admin'] })
    const [own] = await sessionsOf(session)
    const headers = { authorization: `Bearer ${key}` }
    for (const [method, path] of [
      ['GET', '/api/auth/sessions'],
      ['DELETE', `/api/auth/sessions/${own?.id}`],
    ] as const) {
      const answer = await on.accounts(method, path, { headers })
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'SESSION_REQUIRED' }),
      ])
      expect((await on.accounts(method, path)).status).toBe(401)
    }
    expect(await sessionsOf(session)).toHaveLength(1)
  })
})

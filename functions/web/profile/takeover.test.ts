import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkIn, password } from '#tests/support/accounts/accounts.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'

/** Requests that could take over an account with a stolen API key or an open session. */

let keys: Keys

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

const profileOf = (userId: string) => keys.table.get({ pk: `user#${userId}`, sk: 'profile' })

async function ask(path: string, credential: { session?: string; key?: string }, body: object) {
  const { session, key } = credential
  const answer = await keys.accounts('POST', path, {
    body,
    ...(session !== undefined && { session }),
    ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const sessionRequired = { error: expect.any(String), code: 'SESSION_REQUIRED' }

/** Creates a user with a key that has all scopes of a key. */
async function newHolder(email: string) {
  const user = await keys.signUp(email)
  const scopes = ['read', 'chat', 'write', 'admin']
  return { ...user, key: (await keys.newKey(user.session, 'all', { scopes })).key }
}

describe('an API key', () => {
  it('changes no address, even with the password', async () => {
    const { id, key } = await newHolder('address@b.co')
    const row = await profileOf(id)
    for (const proof of [{}, { currentPassword: password }]) {
      const answer = await ask('/api/settings', { key }, { email: 'thief@b.co', ...proof })
      expect(answer).toEqual({ status: 403, body: sessionRequired })
    }
    expect(await profileOf(id)).toEqual(row)
    expect((await keys.mails()).filter(({ to }) => to === 'thief@b.co')).toEqual([])
    expect((await ask('/api/settings', { key }, { name: 'Ada' })).body.name).toBe('Ada')
  })

  it('changes no password, and sets no first one', async () => {
    const { id, session, key } = await newHolder('password@b.co')
    const change = { currentPassword: password, newPassword: 'of the thief' }
    const refused = { status: 403, body: sessionRequired }
    expect(await ask('/api/settings/password', { key }, change)).toEqual(refused)
    // A session cookie does not help: the key takes precedence.
    expect(await ask('/api/settings/password', { key, session }, change)).toEqual(refused)
    await keys.table.update({ pk: `user#${id}`, sk: 'profile' }, { remove: ['passwordHash'] })
    expect(await ask('/api/settings/password', { key }, change)).toEqual(refused)
    const wrong = { key: `sk_${'0'.repeat(64)}` }
    expect((await ask('/api/settings/password', wrong, change)).status).toBe(401)
  })
})

describe('a session', () => {
  it('changes the address only with its password, and is locked after repeated failures', async () => {
    const { id, session } = await keys.signUp('open@b.co')
    const move = (proof: object) =>
      ask('/api/settings', { session }, { email: 'to@b.co', ...proof })
    const row = await profileOf(id)
    expect(await move({})).toEqual({ status: 400, body: { error: 'currentPassword required' } })
    for (let i = 0; i < 5; i++)
      expect(await move({ currentPassword: `guess ${i}` })).toEqual({
        status: 401,
        body: { error: 'Current password is wrong' },
      })
    expect((await move({ currentPassword: password })).status).toBe(429)
    expect(await profileOf(id)).toEqual(row)
    expect((await keys.mails()).filter(({ to }) => to === 'to@b.co')).toEqual([])
  })

  it('a session of a user without a password may change the address for fifteen minutes', async () => {
    const { id, session } = await keys.signUp('wallet@b.co')
    await keys.table.update({ pk: `user#${id}`, sk: 'profile' }, { remove: ['passwordHash'] })
    const rows = await keys.table.query({ pk: `user#${id}`, beginsWith: 'session#' })
    const { pk = '', sk = '' } = rows.items[0] ?? {}
    const signedIn = (minutes: number) =>
      keys.table.update(
        { pk, sk },
        { set: { createdAt: new Date(Date.now() - minutes * 60_000).toISOString() } },
      )
    await signedIn(15)
    const old = await ask('/api/settings', { session }, { email: 'first@b.co' })
    expect(old).toEqual({ status: 403, body: sessionRequired })
    await signedIn(14)
    expect((await ask('/api/settings', { session }, { email: 'first@b.co' })).status).toBe(200)
    expect(linkIn(await keys.mailTo('first@b.co', /Confirm your new/)).href).toContain('token=')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Table } from '#shared/platform/table/port.ts'
import { linkIn, password, sessionOf } from '#tests/support/accounts/accounts.ts'
import { actionsOf } from '#tests/support/accounts/audit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { eventContext } from '#tests/support/platform/context.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { endAccess } from '../users/end-sessions.ts'

let keys: Keys

beforeAll(async () => {
  keys = await startKeys()
})
afterAll(() => keys.close())

const profileOf = (userId: string) => keys.table.get({ pk: `user#${userId}`, sk: 'profile' })

const rowsOf = async (userId: string) =>
  (await keys.table.query({ pk: `user#${userId}`, beginsWith: 'key#' })).items

async function signIn(email: string): Promise<string> {
  return sessionOf(await keys.accounts('POST', '/api/auth/login', { body: { email, password } }))
}

const listOf = async (session: string) =>
  (await (await keys.call('GET', '/api/keys', { session })).json()) as { keys: unknown[] }

async function resetPassword(email: string): Promise<void> {
  await keys.accounts('POST', '/api/auth/forgot-password', { body: { email } })
  await keys.sendResets()
  const token = linkIn(await keys.mailTo(email, /new password/)).searchParams.get('token')
  const body = { token, password }
  expect((await keys.accounts('POST', '/api/auth/reset-password', { body })).status).toBe(200)
}

describe('deleting every key', () => {
  it("deletes all of a user's keys, and no other user's", async () => {
    const ada = await keys.signUp('ada@b.co')
    const bob = await keys.signUp('bob@b.co')
    const made = [await keys.newKey(ada.session), await keys.newKey(ada.session)]
    const stored = await keys.newKey(bob.session)
    await endAccess(eventContext(keys.table), { userId: ada.id })
    for (const { key } of made) expect((await keys.validate(key))[0]).toBe(401)
    expect((await keys.validate(stored.key))[0]).toBe(200)
    expect([await rowsOf(ada.id), await rowsOf(bob.id)]).toEqual([[], [expect.anything()]])
    // A retry after a crash does not affect new keys.
    await endAccess(eventContext(keys.table), { userId: ada.id })
    expect((await profileOf(ada.id))?.keyCount).toBe(0)
    const session = await signIn('ada@b.co')
    expect(await listOf(session)).toEqual({ keys: [] })
    const next = await keys.newKey(session)
    expect((await keys.validate(next.key))[0]).toBe(200)
    const path = `/api/keys/${next.id}`
    expect((await keys.call('DELETE', path, { session })).status).toBe(200)
    expect((await profileOf(ada.id))?.keyCount).toBe(0)
  })

  it('has no effect for a missing user', async () => {
    await endAccess(eventContext(keys.table), { userId: 'usr_unknown' })
    expect(await profileOf('usr_unknown')).toBeUndefined()
  })

  it('includes keys that are created or deleted in the meantime', async () => {
    const { id, session } = await keys.signUp('meanwhile@b.co')
    const first = await keys.newKey(session, 'admin', { scopes: ['admin'] })
    const second = await keys.newKey(session)
    const late: string[] = []
    const table = before(keys.table, async (name) => {
      if (name !== 'transact' || late.length > 0) return
      const body = { name: 'made by a key' }
      const answer = await keys.call('POST', '/api/keys', { key: first.key, body })
      late.push(((await answer.json()) as { key: string }).key)
      await keys.call('DELETE', `/api/keys/${second.id}`, { session })
    })
    await endAccess(eventContext(table), { userId: id })
    for (const key of [first.key, second.key, ...late])
      expect((await keys.validate(key))[0]).toBe(401)
    expect(late).toHaveLength(1)
    expect(await rowsOf(id)).toEqual([])
    expect((await profileOf(id))?.keyCount).toBe(0)
  })

  it('takes effect before the first row is deleted, however many keys exist', async () => {
    const { id, session } = await keys.signUp('crash@b.co')
    const { id: keyId, key } = await keys.newKey(session)
    const [row] = await rowsOf(id)
    // More than one transaction's limit.
    for (let i = 0; i < 110; i++)
      await keys.table.put({ ...row!, sk: `key#${String(i).padStart(64, '0')}`, id: `key_${i}` })
    const dies: Table = {
      ...keys.table,
      delete: () => Promise.reject(new Error('the process ends')),
    }
    await expect(endAccess(eventContext(dies), { userId: id })).rejects.toThrow('the process ends')
    expect(await rowsOf(id)).toHaveLength(111)
    expect((await keys.validate(key))[0]).toBe(401)
    expect((await keys.call('GET', '/api/keys', { key })).status).toBe(401)
    const again = await signIn('crash@b.co')
    expect(await listOf(again)).toEqual({ keys: [] })
    const path = `/api/keys/${keyId}`
    expect((await keys.call('DELETE', path, { session: again })).status).toBe(404)
    expect(
      (await keys.call('POST', '/api/keys', { session: again, body: { name: 'a' } })).status,
    ).toBe(201)
    await endAccess(eventContext(keys.table), { userId: id })
    expect(await rowsOf(id)).toEqual([])
  })
})

it('a model provider’s key is deleted by a password reset, and the audit records it', async () => {
  const { id } = await keys.signUp('byok@b.co')
  const profile = { pk: `user#${id}`, sk: 'profile' }
  await keys.table.update(profile, { set: { byok: { openai: 'sealed' } } })
  const actions = await actionsOf(keys.table, id, () => resetPassword('byok@b.co'))
  expect(actions).toEqual(['byok.disabled', 'password.changed', 'sessions.ended'])
  expect(await profileOf(id)).not.toHaveProperty('byok')
  // The second time, no provider key is left to remove.
  const again = await actionsOf(keys.table, id, () => resetPassword('byok@b.co'))
  expect(again).toEqual(['password.changed', 'sessions.ended'])
})

describe('a key', () => {
  it('is deleted by a password reset', async () => {
    const { id, session } = await keys.signUp('reset@b.co')
    const { key } = await keys.newKey(session)
    await resetPassword('reset@b.co')
    expect((await keys.validate(key))[0]).toBe(401)
    expect((await keys.call('GET', '/api/keys', { key })).status).toBe(401)
    expect(await rowsOf(id)).toEqual([])
  })

  it('is kept by a password change', async () => {
    const { session } = await keys.signUp('change@b.co')
    const { key } = await keys.newKey(session)
    const body = { currentPassword: password, newPassword: 'battery staple' }
    const answer = await keys.accounts('POST', '/api/settings/password', { session, body })
    expect(answer.status).toBe(200)
    expect((await keys.validate(key))[0]).toBe(200)
  })
})

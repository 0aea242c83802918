import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { allows, keyScopes } from '#shared/platform/identity/actor.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'

let keys: Keys
let user: { id: string; session: string }

beforeAll(async () => {
  keys = await startKeys()
  user = await keys.signUp('ada@b.co')
})
afterAll(() => keys.close())

async function ask(method: string, path: string, credential: object, body?: object) {
  const answer = await keys.call(method, path, { ...credential, body })
  return [answer.status, (await answer.json()) as Record<string, unknown>] as const
}

const make = (credential: object, body: object) =>
  ask('POST', '/api/keys', credential, { name: 'a', ...body })

const refusedFor = (scope: string) => [
  403,
  { error: expect.stringContaining(scope), code: 'SCOPE_REQUIRED', scope },
]

const rowKey = async (key: string) => ({ pk: `user#${user.id}`, sk: `key#${await sha256Hex(key)}` })

describe('what a key may do', () => {
  it('the scopes of a key are returned by every answer, each once', async () => {
    const { session } = await keys.signUp('shown@b.co')
    const expiresAt = '2031-01-31T12:00:00+02:00'
    const input = { scopes: ['write', 'read', 'write'], expiresAt }
    const [status, made] = await make({ session }, input)
    const shown = { scopes: ['read', 'write'], expiresAt: '2031-01-31T10:00:00.000Z' }
    expect([status, made]).toEqual([201, expect.objectContaining(shown)])
    const { key: _, ...rest } = made
    const item = { ...rest, keyPreview: expect.any(String), lastUsed: null }
    expect(await ask('GET', '/api/keys', { session })).toEqual([200, { keys: [item] }])
    expect(await ask('GET', `/api/keys/${String(made.id)}`, { session })).toEqual([200, item])
  })

  it.each([
    ['an unknown scope', { scopes: ['read', 'root'] }, /scopes/],
    ['no scope', { scopes: [] }, /scopes/],
    ['a string', { scopes: 'read' }, /scopes/],
    ['null as scopes', { scopes: null }, /scopes/],
    ['an expiry in the past', { expiresAt: '2020-01-01T00:00:00Z' }, /expiresAt/],
    ['an invalid expiry', { expiresAt: 'tomorrow' }, /expiresAt/],
    ['a number as expiry', { expiresAt: 2_000_000_000 }, /expiresAt/],
    ['a day that does not exist', { expiresAt: '2031-02-30T00:00:00Z' }, /expiresAt/],
  ])('a key is rejected for %s', async (_, body, message) => {
    const { id, session } = await keys.signUp(`refused-${crypto.randomUUID()}@b.co`)
    expect(await make({ session }, body)).toEqual([400, { error: expect.stringMatching(message) }])
    const rows = await keys.table.query({ pk: `user#${id}`, beginsWith: 'key#' })
    expect(rows.items).toEqual([])
  })

  it('a key without stored scopes may read, chat and write', async () => {
    const { key, id } = await keys.newKey(user.session)
    await keys.table.update(await rowKey(key), { remove: ['scopes', 'epoch'] })
    const [status, shown] = await ask('GET', `/api/keys/${id}`, { key })
    expect([status, shown.scopes, shown.expiresAt]).toEqual([200, ['read', 'chat', 'write'], null])
    expect(await make({ key }, {})).toEqual(refusedFor('admin'))
  })

  it('a key cannot be extended: money and administration are granted only by a session', async () => {
    const all = await keys.newKey(user.session, 'all', { scopes: [...keyScopes] })
    expect((await make(all, { scopes: ['read'] }))[0]).toBe(201)
    for (const scopes of [['admin'], ['money'], ['read', 'money']])
      expect(await make(all, { scopes })).toEqual([
        403,
        { error: expect.any(String), code: 'SESSION_REQUIRED' },
      ])
  })

  it('scopes are stored in the format of the last release, without money', async () => {
    const { key, id } = await keys.newKey(user.session, 'money', { scopes: ['read', 'money'] })
    const row = await keys.table.get(await rowKey(key))
    expect([row?.scopes, row?.money]).toEqual([['read'], true])
    const [, shown] = await ask('GET', `/api/keys/${id}`, { session: user.session })
    expect(shown.scopes).toEqual(['read', 'money'])
  })

  it('scopes follow one rule for every set of scopes', () => {
    const some = fc.subarray([...keyScopes])
    const method = fc.constantFrom('GET', 'POST', 'DELETE')
    const needed = fc.constantFrom(...keyScopes)
    fc.assert(
      fc.property(some, needed, method, (scopes, scope, verb) => {
        const alone = scope === 'money' || scope === 'admin'
        const expected =
          scopes.includes(scope) ||
          (!alone && (scopes.includes('write') || scopes.includes('admin'))) ||
          (!alone && verb === 'GET' && scopes.includes('read'))
        expect(allows(scopes, scope, verb)).toBe(expected)
      }),
    )
  })
})

describe('a key without administration', () => {
  it.each([['read'], ['chat'], ['write'], ['read', 'chat', 'write']])(
    'a key without administration that may %s deletes itself and no other',
    async (...scopes) => {
      const { id, key } = await keys.newKey(user.session, 'own', { scopes })
      const other = await keys.newKey(user.session)
      const path = `/api/keys/${other.id}`
      expect(await ask('DELETE', path, { key })).toEqual(refusedFor('admin'))
      expect(await ask('DELETE', '/api/keys/key_of_nobody', { key })).toEqual(refusedFor('admin'))
      expect((await keys.validate(other.key))[0]).toBe(200)
      expect(await ask('DELETE', `/api/keys/${id}`, { key })).toEqual([200, { success: true }])
      expect((await keys.validate(key))[0]).toBe(401)
    },
  )

  it('is rejected before any other check', async () => {
    const { key } = await keys.newKey(user.session, 'chat', { scopes: ['chat'] })
    expect(await ask('GET', '/api/keys', { key })).toEqual(refusedFor('read'))
    expect(await ask('POST', '/api/keys', { key }, { name: '' })).toEqual(refusedFor('admin'))
  })
})

describe('a key for administration', () => {
  it('deletes others', async () => {
    const admin = await keys.newKey(user.session, 'admin', { scopes: ['admin'] })
    const other = await keys.newKey(user.session)
    expect((await ask('DELETE', `/api/keys/${other.id}`, admin))[0]).toBe(200)
    expect((await keys.validate(other.key))[0]).toBe(401)
  })
})

describe('a key that has expired', () => {
  it('is rejected, is still listed, and can be deleted', async () => {
    const { id: userId, session } = await keys.signUp('expired@b.co')
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const { id, key } = await keys.newKey(session, 'short', { expiresAt })
    expect((await keys.validate(key))[0]).toBe(200)
    const row = { pk: `user#${userId}`, sk: `key#${await sha256Hex(key)}` }
    const validUntil = new Date(Date.now() - 1).toISOString()
    await keys.table.update(row, { set: { validUntil } })
    expect(await keys.validate(key)).toEqual([401, { error: 'Invalid API key' }])
    expect((await ask('GET', '/api/keys', { key }))[0]).toBe(401)
    const [, { keys: shown }] = await ask('GET', '/api/keys', { session })
    expect(shown).toEqual([expect.objectContaining({ id })])
    expect((await ask('DELETE', `/api/keys/${id}`, { session }))[0]).toBe(200)
  })
})

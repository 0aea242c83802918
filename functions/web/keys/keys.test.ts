import { compare } from 'bcryptjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let keys: Keys
let ada: { id: string; session: string }
let bob: { id: string; session: string }

beforeAll(async () => {
  keys = await startKeys({ cost: 10 })
  ada = await keys.signUp('ada@b.co')
  bob = await keys.signUp('bob@b.co')
})
afterAll(() => keys.close())

const rowsOf = async (userId: string) =>
  (await keys.table.query({ pk: `user#${userId}`, beginsWith: 'key#' })).items

async function ask(method: string, path: string, session: string) {
  const answer = await keys.call(method, path, { session })
  return [answer.status, await answer.json()]
}

const gone = [404, { error: 'API key not found' }]

describe('POST /api/keys', () => {
  it('returns the raw key once, and stores only its hash', async () => {
    const { keys: own } = platformOver(keys.call, { session: ada.session })
    const input = { name: '  CI runner ', userId: bob.id }
    const { data: made, response } = await own.create(input).withResponse()
    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'CI runner',
      key: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      scopes: ['read', 'chat', 'write'],
      expiresAt: null,
      limits: null,
    })
    const { key } = made
    const [row] = await rowsOf(ada.id)
    expect(row?.sk).toBe(`key#${await sha256Hex(key)}`)
    expect(row?.hash).toMatch(/^\$2b\$10\$/)
    expect(await compare(key, String(row?.hash))).toBe(true)
    expect(JSON.stringify(row)).not.toContain(key.slice(10))
  })

  it('stores no answer under an Idempotency-Key, since that would store the raw key', async () => {
    const { id, session } = await keys.signUp('twice@b.co')
    const call = { session, body: { name: 'a' }, headers: { 'idempotency-key': 'once' } }
    const made = await Promise.all([1, 2].map(() => keys.call('POST', '/api/keys', call)))
    expect(made.map((answer) => answer.status)).toEqual([201, 201])
    expect(await rowsOf(id)).toHaveLength(2)
    const record = `idempotency#user:${id}#${await sha256Hex('once')}`
    expect(await keys.table.get({ pk: record, sk: 'idempotency' })).toBeUndefined()
  })

  it.each([
    ['no name', {}, /name required/],
    ['a number', { name: 7 }, /name required/],
    ['an empty name', { name: '' }, /name required/],
    ['white space', { name: '  ' }, /name required/],
    ['65 characters', { name: 'a'.repeat(65) }, /at most 64/],
  ])('rejects %s', async (_, body, message) => {
    const answer = await keys.call('POST', '/api/keys', { session: bob.session, body })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: expect.stringMatching(message) },
    ])
    expect(await rowsOf(bob.id)).toEqual([])
  })

  it('accepts 64 characters, without invalid characters', async () => {
    const { session } = await keys.signUp('long@b.co')
    expect((await keys.newKey(session, 'a'.repeat(64))).name).toHaveLength(64)
    expect((await keys.newKey(session, 'half \uD800 pair')).name).toBe('half \uFFFD pair')
  })

  it('is limited to fifty keys, under concurrent requests, and continues below', async () => {
    const { id, session } = await keys.signUp('many@b.co')
    const { id: first } = await keys.newKey(session)
    const profile = { pk: `user#${id}`, sk: 'profile' }
    await keys.table.update(profile, { set: { keyCount: 47 } })
    const body = { name: 'one of many' }
    const made = await Promise.all(
      Array.from({ length: 8 }, () => keys.call('POST', '/api/keys', { session, body })),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = made.find(({ status }) => status !== 201)
    expect([refused?.status, await refused?.json()]).toEqual([
      409,
      {
        error: expect.stringContaining('50 API keys'),
        code: 'KEY_LIMIT_REACHED',
        current: 50,
        limit: 50,
      },
    ])
    await ask('DELETE', `/api/keys/${first}`, session)
    expect((await keys.call('POST', '/api/keys', { session, body })).status).toBe(201)
  })
})

describe('GET and DELETE', () => {
  it('return exactly the documented fields, newest first', async () => {
    const { session } = await keys.signUp('list@b.co')
    expect(await ask('GET', '/api/keys', session)).toEqual([200, { keys: [] }])
    const old = await keys.newKey(session, 'old')
    const young = await keys.newKey(session, 'young')
    const shown = [young, old].map(({ id, name, key, createdAt }) => ({
      id,
      name,
      keyPreview: `${key.slice(0, 10)}...`,
      createdAt,
      lastUsed: null,
      scopes: ['read', 'chat', 'write'],
      expiresAt: null,
      limits: null,
    }))
    expect(await ask('GET', '/api/keys', session)).toEqual([200, { keys: shown }])
    expect(await ask('GET', `/api/keys/${old.id}`, session)).toEqual([200, shown[1]])
  })

  it('delete a key at once, and once', async () => {
    const { session } = await keys.signUp('delete@b.co')
    const { id, key } = await keys.newKey(session)
    const other = await keys.newKey(session)
    expect((await keys.validate(key))[0]).toBe(200)
    expect(await ask('DELETE', `/api/keys/${id}`, session)).toEqual([200, { success: true }])
    expect(await keys.validate(key)).toEqual([401, { error: 'Invalid API key' }])
    expect((await keys.call('GET', '/api/keys', { key })).status).toBe(401)
    expect(await ask('DELETE', `/api/keys/${id}`, session)).toEqual(gone)
    expect(await ask('GET', `/api/keys/${id}`, session)).toEqual(gone)
    expect((await keys.validate(other.key))[0]).toBe(200)
  })

  it('delete once, under concurrent requests', async () => {
    const { id: userId, session } = await keys.signUp('race@b.co')
    const { id } = await keys.newKey(session)
    const path = `/api/keys/${id}`
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => keys.call('DELETE', path, { session })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(9)
    const profile = await keys.table.get({ pk: `user#${userId}`, sk: 'profile' })
    expect(profile?.keyCount).toBe(0)
  })

  it("return 404 for somebody else's key", async () => {
    const { id, key } = await keys.newKey(ada.session)
    for (const method of ['GET', 'DELETE'])
      expect(await ask(method, `/api/keys/${id}`, bob.session)).toEqual(gone)
    expect(await ask('GET', '/api/keys', bob.session)).toEqual([200, { keys: [] }])
    expect((await keys.validate(key))[0]).toBe(200)
  })

  it.each(['key_x', '%00', '..%2F..', 'a'.repeat(4000), '__proto__', 'key%23', '*'])(
    'return 404 for %s',
    async (id) => {
      for (const method of ['GET', 'DELETE'])
        expect(await ask(method, `/api/keys/${id}`, ada.session)).toEqual(gone)
    },
  )
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionsOf } from '#tests/support/accounts/audit.ts'
import { type Keys, startKeys } from '#tests/support/accounts/keys.ts'

let keys: Keys
let session: string
let userId: string

beforeAll(async () => {
  keys = await startKeys()
  ;({ id: userId, session } = await keys.signUp('ada@b.co'))
})
afterAll(() => keys.close())

type Answer = readonly [number, Record<string, unknown>]

async function ask(
  method: string,
  path: string,
  credential: object,
  body?: object,
): Promise<Answer> {
  const answer = await keys.call(method, path, { ...credential, body })
  return [answer.status, (await answer.json()) as Record<string, unknown>]
}

const limits = {
  models: ['openai/gpt-4o'],
  requestsPerMinute: 60,
  usdPerDay: 1.5,
  usdPerMonth: 20,
  routing: { order: ['azure'], weights: { router: 2 }, maxPriceUsd: { output: 15 } },
}

const update = (id: string, body: object, credential: object = { session }) =>
  ask('PATCH', `/api/keys/${id}`, credential, body)

const moneyRequired = [
  403,
  { error: expect.stringContaining('money'), code: 'SCOPE_REQUIRED', scope: 'money' },
]

describe('the limits of a key', () => {
  it('are set at its creation, and returned by every response', async () => {
    const made = await keys.newKey(session, 'limited', { limits })
    expect(made.limits).toEqual(limits)
    const path = `/api/keys/${made.id}`
    expect((await ask('GET', path, { session }))[1]).toMatchObject({ limits })
    const [, list] = await ask('GET', '/api/keys', { session })
    expect(list).toMatchObject({ keys: [{ id: made.id, limits }] })
  })

  it('keep prices and weights to 12 digits after the point', async () => {
    const routing = (price: number) => ({
      weights: { router: price },
      maxPriceUsd: { output: 15.5, character: price },
    })
    const made = await keys.newKey(session, 'tiny', { limits: { routing: routing(1e-200) } })
    expect(made.limits).toEqual({ routing: routing(0) })
    const [status, key] = await update(made.id, {
      limits: { routing: routing(0.0000150000000004) },
    })
    expect([status, key.limits]).toEqual([200, { routing: routing(0.000015) }])
  })

  it('can be changed one by one; null removes one or all, and the name stays', async () => {
    const { id } = await keys.newKey(session, 'changing', { limits })
    const some = await update(id, { limits: { usdPerDay: 2, requestsPerMinute: null } })
    const { requestsPerMinute: _, ...rest } = limits
    expect(some).toEqual([
      200,
      expect.objectContaining({ name: 'changing', limits: { ...rest, usdPerDay: 2 } }),
    ])
    expect((await update(id, { name: ' renamed ' }))[1]).toMatchObject({
      name: 'renamed',
      limits: { usdPerDay: 2 },
    })
    expect((await update(id, { limits: null }))[1]).toMatchObject({ name: 'renamed', limits: null })
    expect((await ask('GET', `/api/keys/${id}`, { session }))[1]).toMatchObject({ limits: null })
    expect((await update(id, { limits: { usdPerMonth: 0 } }))[1]).toMatchObject({
      limits: { usdPerMonth: 0 },
    })
  })

  it.each([
    [{ limits: { models: [] } }, /models/],
    [{ limits: { models: 'openai/gpt-4o' } }, /models/],
    [{ limits: { requestsPerMinute: 0 } }, /requestsPerMinute/],
    [{ limits: { requestsPerMinute: 1.5 } }, /requestsPerMinute/],
    [{ limits: { usdPerDay: -1 } }, /usdPerDay/],
    [{ limits: { usdPerMonth: '5' } }, /usdPerMonth/],
    [{ limits: { usdPerYear: 5 } }, /usdPerYear/],
    [{ limits: { routing: { order: 'azure' } } }, /order/],
    [{ limits: { routing: { maxPriceUsd: { outputs: 1 } } } }, /outputs/],
    [{ limits: 5 }, /limits/],
    [{ name: '' }, /name required/],
  ])('are not changed by the invalid request %j', async (body, message) => {
    const { id } = await keys.newKey(session, 'valid', { limits })
    const refused = [400, { error: expect.stringMatching(message) }]
    expect(await update(id, body)).toEqual(refused)
    expect(await ask('POST', '/api/keys', { session }, { name: 'a', ...body })).toEqual(refused)
    const [, key] = await ask('GET', `/api/keys/${id}`, { session })
    expect(key).toMatchObject({ name: 'valid', limits })
  })

  it('the limits of a key of another user’s key or of an unknown key are not found', async () => {
    const { id } = await keys.newKey(session, 'mine', { limits })
    const bob = await keys.signUp('bob@b.co')
    const gone = [404, { error: 'API key not found' }]
    expect(await update(id, { limits: null }, { session: bob.session })).toEqual(gone)
    expect(await update('key_unknown', { limits: null })).toEqual(gone)
  })

  it('are in the audit once per change', async () => {
    const { id } = await keys.newKey(session, 'audited')
    const change = () => update(id, { limits })
    expect(await actionsOf(keys.table, userId, change)).toEqual(['key.changed'])
    const refused = () => update(id, { limits: { usdPerDay: -1 } })
    expect(await actionsOf(keys.table, userId, refused)).toEqual([])
  })

  it('keep every concurrent change', async () => {
    const { id } = await keys.newKey(session, 'busy')
    const changes = Object.entries(limits).map(([name, limit]) => ({ limits: { [name]: limit } }))
    const answers = await Promise.all(changes.map((body) => update(id, body)))
    expect(answers.map(([status]) => status)).toEqual([200, 200, 200, 200, 200])
    expect((await ask('GET', `/api/keys/${id}`, { session }))[1]).toMatchObject({ limits })
  })
})

describe('a change by a key', () => {
  it('requires the scope admin', async () => {
    const { id, key } = await keys.newKey(session, 'plain', { scopes: ['read', 'chat', 'write'] })
    const [status, body] = await update(id, { limits: { usdPerDay: 1 } }, { key })
    expect([status, body.scope]).toEqual([403, 'admin'])
  })

  it('lowers spend limits with admin, and raises or removes them only with money too', async () => {
    const { id } = await keys.newKey(session, 'target', { limits })
    const { key: admin } = await keys.newKey(session, 'admin', { scopes: ['admin'] })
    const { key: both } = await keys.newKey(session, 'both', { scopes: ['admin', 'money'] })
    const as = (key: string, change: object | null) => update(id, { limits: change }, { key })
    expect((await as(admin, { usdPerDay: 1, requestsPerMinute: 1000 }))[0]).toBe(200)
    expect(await as(admin, { usdPerDay: 1.1 })).toEqual(moneyRequired)
    expect(await as(admin, { usdPerMonth: null })).toEqual(moneyRequired)
    expect(await as(admin, null)).toEqual(moneyRequired)
    expect((await as(both, { usdPerDay: 9 }))[0]).toBe(200)
    expect((await as(both, null))[0]).toBe(200)
    // A first limit lowers what the key may spend.
    expect((await as(admin, { usdPerDay: 5 }))[0]).toBe(200)
  })

  it('a key with a spend limit and without the scope money creates no key, because two keys spend more than one', async () => {
    const terms = { scopes: ['admin'], limits: { usdPerDay: 1 } }
    const { key } = await keys.newKey(session, 'limited admin', terms)
    const create = (body: object) => ask('POST', '/api/keys', { key }, { name: 'a', ...body })
    expect(await create({})).toEqual(moneyRequired)
    expect(await create({ limits: { usdPerDay: 1 } })).toEqual(moneyRequired)
    const both = await keys.newKey(session, 'both', { ...terms, scopes: ['admin', 'money'] })
    expect((await ask('POST', '/api/keys', both, { name: 'b' }))[0]).toBe(201)
    const { key: models } = await keys.newKey(session, 'models', {
      scopes: ['admin'],
      limits: { models: ['openai/gpt-4o'] },
    })
    expect((await ask('POST', '/api/keys', { key: models }, { name: 'c' }))[0]).toBe(201)
  })
})

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  call,
  newSubscriber,
  newUser,
  stack,
  subscribe,
  type TestUser,
} from '../support/platform.ts'
import { allRoutes } from '../support/routes.ts'

let user: TestUser
let key: string

async function newKey(holder: TestUser): Promise<{ id: string; key: string }> {
  const url = `${stack().web}/api/keys`
  const { status, body } = await call(url, { headers: holder.session, body: { name: 'laptop' } })
  expect(status).toBe(201)
  return { id: String(body.id), key: String(body.key) }
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

/** What the backend says of a bearer. */
async function validate(headers: Record<string, string>) {
  const url = `${stack().backend}/api/validate-key`
  const { status, body } = await call(url, { method: 'POST', headers })
  return [status, body]
}

beforeAll(async () => {
  user = await newSubscriber('collective')
  ;({ key } = await newKey(user))
})

const sessionRoutes = (await allRoutes()).filter(
  ({ surface, route }) => surface === 'web' && route.guard.endsWith('session'),
)

describe('a key on the web surface', () => {
  const readable = sessionRoutes.filter(
    ({ route }) =>
      route.method === 'GET' && route.path !== '/api/auth/csrf' && !/:/.test(route.path),
  )

  it.each(readable)('reads through $name what a session reads', async ({ route }) => {
    // Twice: the first use may note itself in what is read.
    const read = (headers: Record<string, string>) => call(stack().web + route.path, { headers })
    await read(bearing(key))
    const [bySession, byKey] = [await read(user.session), await read(bearing(key))]
    expect(byKey.status).toBe(bySession.status)
    const lasting = ({ body }: typeof byKey) =>
      JSON.stringify(body).replace(/"(lastUsed|timestamp)":[^,}]*/g, '')
    expect(lasting(byKey)).toBe(lasting(bySession))
  })

  it.each(sessionRoutes.filter(({ route }) => route.path !== '/api/auth/csrf'))(
    'is let in by $name, and a wrong one is not',
    async ({ route }) => {
      const path = route.path.replace(/:\w+/g, 'nothing')
      const ask = (token: string) =>
        call(stack().web + path, {
          method: route.method,
          headers: bearing(token),
          // Let in, and then refused for its form.
          ...(route.body !== undefined && { body: [] }),
        })
      expect((await ask(key)).status).not.toBeOneOf([401, 403])
      const wrong = await ask(`sk_${'0'.repeat(64)}`)
      if (route.guard === 'session') expect(wrong.status).toBe(401)
    },
  )

  it('has no session that another site could use', async () => {
    const url = `${stack().web}/api/auth/csrf`
    expect((await call(url, { headers: bearing(key) })).status).toBe(401)
  })
})

describe('a key on the backend', () => {
  it('is told who holds it, with its prefix or without', async () => {
    const holder = {
      valid: true,
      userId: user.id,
      plan: 'collective',
      features: ['dashboard', 'agents', 'chat', 'usage', 'marketplace', 'underground'],
    }
    expect(await validate(bearing(key))).toEqual([200, holder])
    expect(await validate(bearing(key.slice(3)))).toEqual([200, holder])
    await subscribe(user.id, 'solo', 'past_due')
    expect(await validate(bearing(key))).toEqual([
      200,
      { ...holder, plan: 'solo', features: holder.features.slice(0, 4) },
    ])
    await subscribe(user.id, 'collective')
  })

  it.each([
    ['nothing', {}],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic c2s6' }],
    ['an unknown key', { authorization: `Bearer sk_${'0'.repeat(64)}` }],
    ['no key', { authorization: 'Bearer constructor' }],
  ])('is refused for %s', async (_, headers) => {
    expect(await validate(headers)).toEqual([401, { error: 'Unauthorized' }])
  })

  it('is not taken from the platform’s own key, and opens nothing of the platform’s', async () => {
    expect((await validate(bearing(stack().internalKey)))[0]).toBe(401)
    const url = `${stack().backend}/api/agents`
    expect((await call(url, { headers: bearing(key) })).status).toBe(403)
  })

  it('asks models as its user, whatever the headers say', async () => {
    const url = `${stack().backend}/v1/chat/completions`
    const body = { model: 'local/echo', messages: [{ role: 'user', content: 'Hello' }] }
    const { status, body: answer } = await call(url, { headers: bearing(key), body })
    expect([status, answer.object]).toEqual([200, 'chat.completion'])
    const poor = await newUser()
    const own = await newKey(poor)
    const claims = {
      ...bearing(own.key),
      'x-user-id': user.id,
      'x-user-plan': 'network',
      'x-billing-subscription-id': 'sub_x',
    }
    expect((await call(url, { headers: claims, body })).status).toBe(402)
  })
})

it('stays out of the log', async () => {
  const own = await newKey(user)
  const last = `log-${randomUUID()}`
  const headers = { ...bearing(own.key), 'x-request-id': last }
  await call(`${stack().web}/api/keys/validate`, { headers, body: { apiKey: `${own.key}0` } })
  await call(`${stack().web}/api/keys/validate?apiKey=${own.key}`, { headers, body: {} })
  await call(`${stack().web}/api/keys/${own.key}`, { headers })
  const log = await eventually(() => {
    const text = readFileSync(stack().logFile, 'utf8')
    expect(text.split(last).length).toBeGreaterThan(3)
    return text
  })
  expect(log).not.toContain(own.key.slice(3, 40))
})

it('opens nothing from the moment that it is deleted', async () => {
  const own = await newKey(user)
  const headers = bearing(own.key)
  const validated = () => call(`${stack().web}/api/keys/validate`, { body: { apiKey: own.key } })
  expect((await validated()).status).toBe(200)
  const path = `${stack().web}/api/keys/${own.id}`
  expect((await call(path, { method: 'DELETE', headers })).body).toEqual({ success: true })
  const answers = await Promise.all([
    validated(),
    call(`${stack().web}/api/settings`, { headers }),
    call(`${stack().backend}/v1/models`, { headers }),
    call(`${stack().backend}/api/validate-key`, { method: 'POST', headers }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
})

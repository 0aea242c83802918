import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { keyScopes } from '#shared/platform/identity/actor.ts'
import { eventually } from '../support/clock/eventually.ts'
import { allRoutes } from '../support/http/routes.ts'
import {
  call,
  newSubscriber,
  newUser,
  stack,
  subscribe,
  type TestUser,
} from '../support/stack/platform.ts'

let user: TestUser
let key: string

async function newKey(holder: TestUser, terms = {}): Promise<{ id: string; key: string }> {
  const url = `${stack().web}/api/keys`
  const input = { name: 'laptop', ...terms }
  const { status, body } = await call(url, { headers: holder.session, body: input })
  expect(status).toBe(201)
  return { id: String(body.id), key: String(body.key) }
}

const bearing = (token: string) => ({ authorization: `Bearer ${token}` })

/** Returns the backend's validation of a bearer token. */
async function validate(headers: Record<string, string>) {
  const url = `${stack().backend}/api/validate-key`
  const { status, body } = await call(url, { method: 'POST', headers })
  return [status, body]
}

beforeAll(async () => {
  user = await newSubscriber('collective')
  ;({ key } = await newKey(user, { scopes: [...keyScopes] }))
})

const sessionRoutes = (await allRoutes()).filter(
  ({ surface, route }) =>
    surface === 'web' && (route.guard.endsWith('session') || route.guard === 'optional-credential'),
)

describe('a key on the web surface', () => {
  const readable = sessionRoutes.filter(
    ({ route }) =>
      route.method === 'GET' &&
      route.guard !== 'own-session' &&
      route.path !== '/api/auth/csrf' &&
      !/:/.test(route.path),
  )

  it.each(readable)('reads through $name the same as a session', async ({ route }) => {
    // Twice, because the first use may change `lastUsed` in the response.
    const read = (headers: Record<string, string>) => call(stack().web + route.path, { headers })
    await read(bearing(key))
    const [bySession, byKey] = [await read(user.session), await read(bearing(key))]
    expect(byKey.status).toBe(bySession.status)
    const lasting = ({ body }: typeof byKey) =>
      JSON.stringify(body).replace(/"(lastUsed|timestamp)":[^,}]*/g, '')
    expect(lasting(byKey)).toBe(lasting(bySession))
  })

  it.each(sessionRoutes.filter(({ route }) => route.path !== '/api/auth/csrf'))(
    'is accepted by $name, and a wrong one is not',
    async ({ route }) => {
      const path = route.path.replace(/:\w+/g, 'nothing')
      const ask = (token: string) =>
        call(stack().web + path, {
          method: route.method,
          headers: bearing(token),
          // A key with the right scope passes the guard; the request then fails validation.
          ...(route.body !== undefined && { body: [] }),
        })
      const right = await ask(key)
      if (route.guard === 'own-session')
        expect([right.status, right.body.code]).toEqual([403, 'SESSION_REQUIRED'])
      else if (route.path.startsWith('/api/operator/'))
        expect([right.status, right.body.code]).toEqual([403, 'ADMIN_REQUIRED'])
      else expect(right.status).not.toBeOneOf([401, 403])
      const wrong = await ask(`sk_${'0'.repeat(64)}`)
      if (route.guard === 'optional-session') expect(wrong.status).not.toBe(401)
      else expect(wrong.status).toBe(401)
    },
  )

  it('has no session that another site could use', async () => {
    const url = `${stack().web}/api/auth/csrf`
    expect((await call(url, { headers: bearing(key) })).status).toBe(401)
  })
})

describe('a key with one scope', () => {
  const opened: [string, string, string[]][] = [
    ['GET', '/api/settings', ['read', 'write', 'admin']],
    ['PATCH', '/api/settings', ['write', 'money', 'admin']],
    ['GET', '/api/agents', ['read', 'write', 'admin']],
    ['POST', '/api/agents/provision', ['write', 'admin']],
    ['POST', '/api/generate-video', ['money']],
    ['POST', '/api/agents/clone', ['money']],
    ['POST', '/api/skills/instant-split', ['write', 'money', 'admin']],
    ['GET', '/api/chat', ['read', 'chat', 'write', 'admin']],
    ['POST', '/api/chat', ['chat', 'write', 'admin']],
    ['GET', '/api/keys', ['read', 'write', 'admin']],
    ['POST', '/api/keys', ['admin']],
    ['GET', '/api/billing', ['read', 'write', 'admin']],
    ['GET', '/api/auth/session', [...keyScopes]],
    ['GET', '/v1/models', ['read', 'chat', 'write', 'admin']],
    ['POST', '/v1/chat/completions', ['chat', 'write', 'admin']],
    ['POST', '/api/ai/chat', ['chat', 'write', 'admin']],
    ['POST', '/api/validate-key', [...keyScopes]],
  ]

  it.each(keyScopes)('%s allows exactly its routes', async (scope) => {
    const own = await newKey(user, { scopes: [scope] })
    for (const [method, path, by] of opened) {
      const surface = /^.(v1|api.ai|api.validate)/.test(path) ? 'backend' : 'web'
      const { status, body } = await call(stack()[surface] + path, {
        method,
        headers: bearing(own.key),
        // A key with the right scope passes the guard; the request then fails validation.
        ...(method !== 'GET' && path !== '/api/validate-key' && { body: [] }),
      })
      const text = JSON.stringify(body)
      if (by.includes(scope)) expect([path, status]).not.toEqual([path, 403])
      else {
        expect([method, path, status]).toEqual([method, path, 403])
        expect(text).toContain('SCOPE_REQUIRED')
        expect(text).toMatch(/"scope":"(read|chat|write|money|admin)"/)
      }
    }
  })

  it('a key without administration cannot pay, and reads usage', async () => {
    const act = async (scopes: string[], action: object) => {
      const own = await newKey(user, { scopes })
      const url = `${stack().web}/api/billing`
      const { status, body } = await call(url, { headers: bearing(own.key), body: action })
      return [status, body.scope]
    }
    const usage = { action: 'get-usage' }
    const checkout = { action: 'create-checkout', plan: 'solo' }
    expect(await act(['read'], usage)).toEqual([200, undefined])
    expect(await act(['chat'], usage)).toEqual([403, 'read'])
    expect(await act(['read', 'chat', 'write'], checkout)).toEqual([403, 'admin'])
    expect((await act(['admin'], checkout))[0]).not.toBe(403)
  })

  it('reads payments with write, and pays only with money', async () => {
    const recipients = [{ address: `0x${'1'.repeat(40)}`, share: 100 }]
    const agentId = `agt_${'0'.repeat(26)}`
    const create = { action: 'create', agentId, name: 'A', totalAmount: '1', recipients }
    const pay = {
      action: 'pay',
      agentId,
      amount: '1',
      currency: 'USDC',
      recipient: recipients[0]?.address,
    }
    const actions: [string, object, string][] = [
      ['/api/skills/instant-split', { action: 'list' }, 'write'],
      ['/api/skills/instant-split', { action: 'status', splitId: 1 }, 'write'],
      ['/api/skills/instant-split', create, 'money'],
      ['/api/skills/instant-split', { action: 'retry', splitId: 1 }, 'money'],
      ['/api/skills/booking-settlement', { action: 'list' }, 'write'],
      ['/api/skills/booking-settlement', { action: 'settle', bookingId: 'none' }, 'money'],
      ['/api/x402', { action: 'endpoints' }, 'write'],
      ['/api/x402', pay, 'money'],
    ]
    const usual = await newKey(user)
    const money = await newKey(user, { scopes: ['money'] })
    for (const [path, body, scope] of actions) {
      const ask = async (token: string) => {
        const answer = await call(stack().web + path, { headers: bearing(token), body })
        return answer.status === 403 ? [path, body, answer.body.code, answer.body.scope] : 'let in'
      }
      const refused = (by: string) => [path, body, 'SCOPE_REQUIRED', by]
      expect(await ask(usual.key)).toEqual(scope === 'write' ? 'let in' : refused('money'))
      expect(await ask(money.key)).toEqual(scope === 'money' ? 'let in' : refused('write'))
    }
  })

  it('a key for chat talks to an agent of its user, and changes nothing', async () => {
    const act = async (scope: string, action: object) => {
      const own = await newKey(user, { scopes: [scope] })
      const url = `${stack().web}/api/agent`
      const { status, body } = await call(url, { headers: bearing(own.key), body: action })
      return [status, body.scope]
    }
    const talk = { action: 'chat', message: 'Hi', agentId: `agt_${'0'.repeat(26)}` }
    const change = { action: 'set-credential', key: 'TOKEN', value: 'x' }
    expect(await act('chat', talk)).toEqual([404, undefined])
    expect(await act('read', talk)).toEqual([403, 'chat'])
    expect(await act('chat', change)).toEqual([403, 'write'])
  })

  it('gets no list of agents with an invalid bearer', async () => {
    const ask = async (headers: Record<string, string>) =>
      (await call(`${stack().web}/api/agents`, { headers })).status
    expect(await ask(bearing('at_nothing'))).toBe(401)
    expect(await ask({ authorization: 'Bearer' })).toBe(401)
    expect(await ask({ cookie: `service-session=${user.id}.${'A'.repeat(43)}` })).toBe(200)
    expect(await ask({})).toBe(200)
  })
})

describe('a key on the backend', () => {
  it('returns its holder, with and without its prefix', async () => {
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
  ])('is rejected for %s', async (_, headers) => {
    expect(await validate(headers)).toEqual([401, { error: 'Unauthorized' }])
  })

  it('is rejected in place of the platform’s own key, and on the platform’s routes', async () => {
    expect((await validate(bearing(stack().internalKey)))[0]).toBe(401)
    const url = `${stack().backend}/api/agents`
    expect((await call(url, { headers: bearing(key) })).status).toBe(403)
  })

  it('calls models as its user, not as the user in the headers', async () => {
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

it('a key is never logged', async () => {
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

it('a key is rejected from its deletion on', async () => {
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

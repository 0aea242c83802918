import { beforeAll, describe, expect, it } from 'vitest'
import type { KeyScope } from '../../shared/identity/actor.ts'
import { call, newUser, stack } from '../support/platform.ts'
import { allRoutes } from '../support/routes.ts'

/** Every route that takes users' API keys, found by itself. */
const cases = (await allRoutes())
  .filter(({ route }) => /session|user|optional/.test(route.guard))
  .map(({ surface, route, name }) => ({
    name,
    method: route.method,
    guard: route.guard,
    url: () => stack()[surface] + route.path.replace(/:\w+/g, `agt_${'0'.repeat(26)}`),
    scope: route.scope ?? (route.method === 'GET' ? 'read' : 'write'),
    reads: route.method === 'GET',
    form: route.errorForm,
  }))

/** What is neither reading for GET nor writing for the rest, by contract.md 11. */
const exceptions = {
  chat: [
    'backend GET /v1/models',
    'backend POST /api/ai/chat',
    'backend POST /v1/chat/completions',
    'web GET /api/chat',
    'web POST /api/chat',
  ],
  admin: [
    'web GET /api/payments/checkout',
    'web GET /api/payments/credits',
    'web POST /api/keys',
    'web POST /api/stripe/storage-upgrade',
  ],
  // The handler decides, by the body or by whose key it is.
  any: [
    'backend POST /api/validate-key',
    'web DELETE /api/keys/:id',
    'web GET /api/auth/session',
    'web GET /api/auth/verify-email',
    'web POST /api/agent',
    'web POST /api/auth/verify-email',
    'web POST /api/billing',
  ],
}

const keys: Record<string, string> = {}

beforeAll(async () => {
  const user = await newUser()
  const holders: Record<string, KeyScope[]> = {
    read: ['read'],
    chat: ['chat'],
    ordinary: ['read', 'chat', 'write'],
    admin: ['admin'],
  }
  for (const [name, scopes] of Object.entries(holders)) {
    const body = { name, scopes }
    const made = await call(`${stack().web}/api/keys`, { headers: user.session, body })
    keys[name] = String(made.body.key)
  }
})

type Case = (typeof cases)[number]

async function refusal({ method, url, form }: Case, holder: string) {
  const headers = { authorization: `Bearer ${keys[holder]}` }
  const { status, body } = await call(url(), { method, headers })
  const shown = form === 'openai' ? (body.error as Record<string, unknown>) : body
  return { status, code: shown.code, scope: shown.scope }
}

const keyed = cases.filter(({ guard }) => guard !== 'own-session')
const refusedTo: Record<string, (one: Case) => boolean> = {
  read: ({ scope, reads }) => scope !== 'read' && (scope === 'admin' || !reads),
  chat: ({ scope }) => scope !== 'chat',
  ordinary: ({ scope }) => scope === 'admin',
}

it('every route wants reading, writing, or what is listed here', () => {
  for (const [scope, names] of Object.entries(exceptions))
    expect(keyed.filter((one) => one.scope === scope).map(({ name }) => name)).toEqual(
      expect.arrayContaining(names),
    )
  const ordinary = keyed.filter(({ scope }) => !(scope in exceptions))
  expect(ordinary.filter(({ scope, reads }) => scope === 'write' && reads)).toEqual([])
})

describe.each(Object.entries(refusedTo))('a key for %s', (holder, isRefused) => {
  it.each(keyed.filter((one) => one.scope !== 'any' && isRefused(one)))(
    'is refused by $name, which says what it wants',
    async (one) => {
      expect(await refusal(one, holder)).toEqual({
        status: 403,
        code: 'SCOPE_REQUIRED',
        scope: one.scope,
      })
    },
  )
})

describe('a key of any scope', () => {
  it.each(cases.filter(({ guard }) => guard === 'own-session'))(
    'is refused by $name, which takes a session',
    async (one) => {
      expect(await refusal(one, 'admin')).toMatchObject({ status: 403, code: 'SESSION_REQUIRED' })
    },
  )
})

import { beforeAll, describe, expect, it } from 'vitest'
import { scopesOf } from '#shared/http/guards/scope.ts'
import type { KeyScope } from '#shared/platform/identity/actor.ts'
import { allRoutes } from '../support/http/routes.ts'
import { call, newUser, stack } from '../support/stack/platform.ts'

/** Every route that accepts users' API keys, found automatically. */
const cases = (await allRoutes())
  .filter(({ route }) => /session|user|optional/.test(route.guard))
  .map(({ surface, route, name }) => ({
    name,
    method: route.method,
    guard: route.guard,
    url: () => stack()[surface] + route.path.replace(/:\w+/g, `agt_${'0'.repeat(26)}`),
    scopes: scopesOf(route),
    reads: route.method === 'GET',
    form: route.errorForm,
  }))

/** The routes whose scope is not the default of contract.md 11: read for GET, write for other methods. */
const exceptions = {
  chat: [
    'backend GET /v1/models',
    'backend POST /api/ai/chat',
    'backend POST /v1/chat/completions',
    'web GET /api/chat',
    'web POST /api/chat',
  ],
  money: ['web POST /api/agents/clone', 'web POST /api/generate-video'],
  admin: [
    'web GET /api/payments/checkout',
    'web GET /api/payments/credits',
    'web POST /api/keys',
    'web POST /api/stripe/storage-upgrade',
  ],
  // The required scope depends on the body.
  'read admin': ['web POST /api/billing'],
  'chat write': ['web POST /api/agent'],
  'write money': [
    'web PATCH /api/settings',
    'web POST /api/skills/booking-settlement',
    'web POST /api/skills/instant-split',
    'web POST /api/x402',
    'web PUT /api/agents/:id/config',
  ],
  // Any key: the handler checks the key's owner.
  '': [
    'backend POST /api/validate-key',
    'web DELETE /api/keys/:id',
    'web GET /api/auth/session',
    'web GET /api/auth/verify-email',
    'web POST /api/auth/verify-email',
  ],
}

const keys: Record<string, string> = {}

beforeAll(async () => {
  const user = await newUser()
  const holders: Record<string, KeyScope[]> = {
    read: ['read'],
    chat: ['chat'],
    ordinary: ['read', 'chat', 'write'],
    money: ['money'],
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
  const isNested = form === 'openai' || form === 'anthropic'
  const shown = isNested ? (body.error as Record<string, unknown>) : body
  return { status, code: shown.code, scope: shown.scope }
}

const keyed = cases.filter(({ guard }) => guard !== 'own-session')
const alone = new Set(['money', 'admin'])
const refusedTo: Record<string, (scope: string, one: Case) => boolean> = {
  read: (scope, { reads }) => scope !== 'read' && (alone.has(scope) || !reads),
  chat: (scope) => scope !== 'chat',
  ordinary: (scope) => alone.has(scope),
  money: (scope) => scope !== 'money',
  admin: (scope) => scope === 'money',
}

it('every route requires read, write, or a scope listed here', () => {
  for (const [scope, names] of Object.entries(exceptions))
    expect(keyed.filter((one) => one.scopes.join(' ') === scope).map(({ name }) => name)).toEqual(
      expect.arrayContaining(names),
    )
  const ordinary = keyed.filter(({ scopes }) => !(scopes.join(' ') in exceptions))
  expect(ordinary.filter(({ scopes, reads }) => scopes.includes('write') && reads)).toEqual([])
})

describe.each(Object.entries(refusedTo))('a key for %s', (holder, isRefused) => {
  it.each(
    keyed.filter(
      (one) => one.scopes.length > 0 && one.scopes.every((scope) => isRefused(scope, one)),
    ),
  )('is rejected by $name, which names the required scope', async (one) => {
    expect(await refusal(one, holder)).toEqual({
      status: 403,
      code: 'SCOPE_REQUIRED',
      scope: one.scopes[0],
    })
  })
})

describe('a key of any scope', () => {
  it.each(cases.filter(({ guard }) => guard === 'own-session'))(
    'is rejected by $name, which requires a session',
    async (one) => {
      expect(await refusal(one, 'admin')).toMatchObject({ status: 403, code: 'SESSION_REQUIRED' })
    },
  )
})

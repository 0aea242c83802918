import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Route } from '#shared/http/route.ts'
import { functions } from '#shared/manifest/index.ts'
import { call, newUser, stack, type TestUser } from '../support/stack/platform.ts'

/**
 * Every route of the manifest's functions. It is found automatically, so a new route is tested without a change here.
 */
const groups = await Promise.all(
  functions.flatMap(({ entry, trigger }) =>
    trigger.kind === 'http'
      ? [
          import(join('../..', entry)).then(({ routes }: { routes: readonly Route<never>[] }) =>
            routes.map((route) => ({ surface: trigger.surface, route })),
          ),
        ]
      : [],
  ),
)
const cases = groups.flat().map(({ surface, route }) => ({
  surface,
  route,
  path: route.path.replace(/:\w+(?:\{[^}]*\})?/g, `agt_${'0'.repeat(26)}`),
  name: `${surface} ${route.method} ${route.path}`,
}))
type Case = (typeof cases)[number]

let user: TestUser

beforeAll(async () => {
  user = await newUser()
})

/** Guards that require no credentials. */
const anyone = new Set<string>(['none', 'signature', 'proven-agent-or-anyone'])

/** Returns headers that pass the route's guard. */
function credentials({ route }: Case): Record<string, string> {
  if (anyone.has(route.guard)) return {}
  if (/session$|^optional/.test(route.guard)) return user.session
  return { authorization: `Bearer ${stack().internalKey}` }
}

async function send(one: Case, init: RequestInit): Promise<{ status: number; error: unknown }> {
  const answer = await fetch(stack()[one.surface] + one.path, {
    method: one.route.method,
    redirect: 'manual',
    ...init,
  })
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]+$/)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const { error } = z.object({ error: z.unknown() }).parse(await answer.json())
  return { status: answer.status, error }
}

/** The forms whose `error` is an object with a message. */
const inObjects: ReadonlySet<unknown> = new Set(['openai', 'anthropic'])

/** Errors have the form `{error: text}`, except `{error: {message}}` for clients of model APIs and JSON-RPC. */
function expectError(error: unknown, { route }: Case): void {
  const inObject =
    inObjects.has(route.errorForm) || (route.errorForm === 'json-rpc' && typeof error === 'object')
  if (inObject) expect(error).toMatchObject({ message: expect.any(String) })
  else expect(error).toEqual(expect.any(String))
}

const unguarded = new Set<string>([...anyone, 'optional-session', 'optional-credential'])
const guarded = cases.filter(({ route }) => !unguarded.has(route.guard))
// Only a container has the key for routes of agents alone: functions/backend/files/container.test.ts sends their bodies.
const withBody = cases.filter(({ route }) => route.body !== undefined && route.guard !== 'agent')
const json = { 'content-type': 'application/json' }

it('the list of routes has guarded routes and routes with a body', () => {
  expect(cases.length).toBeGreaterThan(20)
})

describe('every guarded route', () => {
  it.each(guarded)('$name rejects a caller without credentials', async (one) => {
    const { status, error } = await send(one, {})
    expect(status).toBe(401)
    expectError(error, one)
  })

  it.each(guarded)('$name rejects wrong credentials', async (one) => {
    const wrong = { authorization: `Bearer sk_${'0'.repeat(64)}` }
    const { status, error } = await send(one, { headers: wrong })
    expect(status).toBe(one.route.guard === 'internal' ? 403 : 401)
    expectError(error, one)
  })

  it.each(cases.filter(({ route }) => route.guard === 'optional-credential'))(
    '$name rejects a wrong key, though it needs none',
    async (one) => {
      const wrong = { authorization: `Bearer sk_${'0'.repeat(64)}` }
      expect((await send(one, { headers: wrong })).status).toBe(401)
    },
  )

  it.each(guarded.filter(({ route }) => route.guard.endsWith('session')))(
    '$name rejects a missing session',
    async (one) => {
      const cookie = `service-session=${user.id}.${'A'.repeat(43)}`
      expect((await send(one, { headers: { cookie } })).status).toBe(401)
    },
  )
})

describe('every route with a body', () => {
  it.each(withBody)('$name rejects malformed JSON', async (one) => {
    const headers = { ...json, ...credentials(one) }
    const { status, error } = await send(one, { headers, body: '{"name":' })
    expect(status).toBe(400)
    expectError(error, one)
  })

  it.each(withBody)('$name rejects a body that is not an object', async (one) => {
    const headers = { ...json, ...credentials(one) }
    expect((await send(one, { headers, body: '[1]' })).status).toBe(400)
  })

  it.each(withBody)('$name rejects another content type', async (one) => {
    const headers = { 'content-type': 'text/plain', ...credentials(one) }
    const { status, error } = await send(one, { headers, body: '{}' })
    expect(status).toBe(400)
    expectError(error, one)
  })

  it.each(withBody)('$name rejects a body over its limit', async (one) => {
    const headers = { ...json, ...credentials(one) }
    const body = JSON.stringify({ name: 'a'.repeat(one.route.maxBodyBytes ?? 1_048_576) })
    const { status, error } = await send(one, { headers, body })
    expect(status).toBe(413)
    expectError(error, one)
  })
})

describe('every path', () => {
  // A route that passes requests on takes every method, and every path below its own.
  const ours = cases.filter(({ route }) => route.passesOn !== true)
  const byPath = [...Map.groupBy(ours, ({ surface, path }) => `${surface} ${path}`).entries()].map(
    ([name, [one, ...more]]) => ({ name, one: one as Case, more }),
  )

  it.each(byPath)('$name returns 405 and Allow for another method', async ({ one, more }) => {
    const methods = [one, ...more].map(({ route }) => route.method)
    const { status, headers, body } = await call(stack()[one.surface] + one.path, {
      method: ['DELETE', 'PATCH', 'PUT'].find((method) => !methods.includes(method as 'PUT')) ?? '',
    })
    expect(status).toBe(405)
    expect(headers.get('allow')?.split(', ').sort()).toEqual([...methods].sort())
    expectError(body.error, one)
  })

  // `/v1/models/:id{.+}` also matches slashes.
  const open = cases
    .filter(({ route }) => route.passesOn === true || route.path.endsWith('{.+}'))
    .map(({ path }) => path)
  const closed = byPath.filter(
    ({ one }) => !open.some((path) => path === one.path || path.startsWith(`${one.path}/`)),
  )

  it.each(closed)('$name returns 404 for unknown paths below it', async ({ one }) => {
    const { status, body, headers } = await call(`${stack()[one.surface]}${one.path}/no/such/path`)
    expect(status).toBe(404)
    const error = inObjects.has(one.route.errorForm) ? { message: 'Not found' } : 'Not found'
    expect(body).toMatchObject({ error })
    expect(headers.get('x-request-id')).toMatch(/^req_/)
  })
})

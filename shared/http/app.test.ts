import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PlatformError } from '../platform/errors.ts'
import { createApp } from './app.ts'
import { routesWith } from './route.ts'

const route = routesWith<{ greeting: string }>()
const routes = [
  route({
    name: 'things.create',
    method: 'POST',
    path: '/api/things/:id',
    summary: 'Make a thing',
    tag: 'agents',
    guard: 'internal',
    params: z.object({ id: z.string() }),
    body: z.object({ name: z.string({ error: 'name required' }), size: z.number().optional() }),
    status: 201,
    response: z.object({ id: z.string(), text: z.string(), owner: z.string().nullable() }),
    errors: ['bad-request'],
    notAudited: 'a route of a test',
    handle: ({ owner, greeting }, { params, body }) => {
      if (body.name === 'broken') throw new TypeError('a secret detail')
      const limits: Record<string, PlatformError> = {
        unpaid: new PlatformError('payment-required', 'A plan is required'),
        capped: new PlatformError('too-many-requests', 'Spent', { code: 'SPEND_CAP_REACHED' }),
        full: new PlatformError('too-many-requests', 'Full', { details: { limit: 1 } }),
        fast: new PlatformError('too-many-requests', 'Slow down'),
        busy: new PlatformError('too-many-requests', 'Busy', {
          details: { limit: 1 },
          headers: { 'Retry-After': '30' },
        }),
      }
      if (limits[body.name] !== undefined) throw limits[body.name]
      if (body.name === 'taken')
        throw new PlatformError('conflict', 'Taken', { code: 'TAKEN', details: { current: 1 } })
      const answer = {
        id: params.id,
        text: `${greeting} ${body.name}`,
        owner: owner ?? null,
      }
      return { ...answer, passwordHash: 'never' } as typeof answer
    },
  }),
]
const app = createApp({
  surface: 'backend',
  name: 'things',
  routes,
  services: { greeting: 'hello' },
  settings: { INTERNAL_API_KEY: 'the-internal-key' },
})

function post(body: string, headers: Record<string, string> = {}) {
  return app.request('/api/things/7', {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer the-internal-key',
      ...headers,
    },
  })
}

describe('an app', () => {
  it('ends the stream of a HEAD request, which has no reader', async () => {
    const disconnected = Promise.withResolvers<void>()
    const stream = routesWith<object>()({
      name: 'things.follow',
      method: 'GET',
      path: '/api/things',
      summary: 'Things as they come',
      tag: 'health',
      guard: 'none',
      response: z.object({}),
      events: { thing: z.object({}) },
      errors: [],
      handle: () =>
        new Response(new ReadableStream({ cancel: () => disconnected.resolve() }), {
          headers: { 'content-type': 'text/event-stream' },
        }),
    })
    const streaming = createApp({
      surface: 'backend',
      name: 'things',
      routes: [stream],
      services: {},
      settings: {},
    })
    const answer = await streaming.request('/api/things', { method: 'HEAD' })
    await disconnected.promise
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/event-stream',
      '',
    ])
  })

  it.each([
    ['unpaid', 402, 'false'],
    ['capped', 429, 'false'],
    ['full', 429, 'false'],
    ['fast', 429, null],
    ['busy', 429, null],
    ['taken', 409, null],
  ])('reports for %s whether a retry can help', async (name, status, shouldRetry) => {
    const answer = await post(JSON.stringify({ name }))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('x-should-retry')).toBe(shouldRetry)
  })

  it('removes fields that are not in the response schema', async () => {
    const answer = await post('{"name":"Ada"}', { 'x-user-id': 'usr_1' })
    expect(answer.status).toBe(201)
    expect(await answer.json()).toEqual({ id: '7', text: 'hello Ada', owner: 'usr_1' })
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it.each([
    ['no Authorization', {}, 401],
    ['another scheme', { authorization: 'Basic the-internal-key' }, 401],
    ['another key', { authorization: 'Bearer the-internal-kez' }, 403],
  ])('rejects a caller with %s', async (_, headers, status) => {
    const answer = await app.request('/api/things/7', {
      method: 'POST',
      body: '{"name":"Ada"}',
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({ error: expect.any(String) })
  })

  it.each([
    ['malformed JSON', '{"name":', {}, 400, /JSON/],
    ['an array', '[]', {}, 400, /object/],
    ['a missing field', '{}', {}, 400, /^name required$/],
    ['a wrong type', '{"name":"a","size":"x"}', {}, 400, /^size: /],
    ['another content type', '{"name":"a"}', { 'content-type': 'text/plain' }, 400, /Content-Type/],
    ['more than 1 MB', `{"name":"${'a'.repeat(1_048_577)}"}`, {}, 413, /1 MB/],
  ])('rejects a body with %s', async (_, body, headers, status, message) => {
    const answer = await post(body, headers)
    expect(answer.status).toBe(status)
    const { error } = (await answer.json()) as { error: string }
    expect(error).toMatch(message)
  })

  it('returns 405 and Allow for a wrong method, 404 for an unknown path, both as JSON', async () => {
    const wrong = await app.request('/api/things/7', { method: 'PUT' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    const unknown = await app.request('/api/nothing')
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Not found' }])
    expect(unknown.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it('returns error details for the caller, but no internal details', async () => {
    const meant = await post('{"name":"taken"}')
    expect([meant.status, await meant.json()]).toEqual([
      409,
      { error: 'Taken', code: 'TAKEN', current: 1 },
    ])
    const notMeant = await post('{"name":"broken"}')
    expect([notMeant.status, await notMeant.text()]).toEqual([
      500,
      '{"error":"Internal server error"}',
    ])
  })

  it('returns 500 if the internal key is not configured', async () => {
    const bare = createApp({
      surface: 'backend',
      name: 'things',
      routes,
      services: { greeting: '' },
      settings: {},
    })
    const answer = await bare.request('/api/things/7', {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
    })
    expect([answer.status, await answer.json()]).toEqual([500, { error: 'Server misconfigured' }])
  })
})

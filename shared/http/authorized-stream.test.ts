import { afterEach, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { UserIdentity } from '../platform/identity/actor.ts'
import { createApp } from './app.ts'
import { respondWithEvents } from './event-stream.ts'
import { routesWith } from './route.ts'

afterEach(() => void vi.useRealTimers())

const user = { id: 'usr_1', email: 'a@b.co', scopes: ['read'] } as unknown as UserIdentity

/** An endless stream of numbers, with its caller. */
function stream(guard: 'session' | 'agent' = 'session', surface: 'web' | 'backend' = 'web') {
  const known = new Map<string, UserIdentity>([['good', user]])
  const find = async (credential: string) => known.get(credential.replace(/^(at|sk)_/, ''))
  const agents = new Map([
    [
      'ak_good',
      {
        agentId: 'agt_1',
        userId: 'usr_1',
        generation: 1,
        rows: { agent: undefined, owner: undefined },
      },
    ],
  ])
  const left = vi.fn<() => Promise<void>>(async () => {})
  const route = routesWith<object>()({
    name: 'numbers.follow',
    method: 'GET',
    path: '/numbers',
    summary: 'Numbers',
    tag: 'logs',
    guard,
    errorForm: 'anthropic',
    response: z.number(),
    errors: [],
    handle: () => {
      let n = 0
      return respondWithEvents({ pull: async (out) => out.send({ data: n++ }), cancel: left })
    },
  })
  const app = createApp({
    surface,
    name: surface,
    routes: [route],
    services: {},
    settings: {},
    identity: {
      session: find,
      userKey: find,
      accessToken: find,
      agentKey: async (key) => agents.get(key),
    },
  })
  return { known, agents, left, app }
}

it.each([
  ['session', { cookie: 'service-session=good' }],
  ['key', { authorization: 'Bearer sk_good' }],
  ['grant', { authorization: 'Bearer at_good' }],
])('a stream ends with its caller’s %s, at its next check', async (_, headers) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { known, left, app } = stream()
  const answer = await app.request('/numbers', { headers })
  const reader = answer.body!.getReader()
  const next = async () => new TextDecoder().decode((await reader.read()).value)
  expect(await next()).toBe('data: 0\n\n')
  vi.setSystemTime(Date.now() + 21_000)
  expect(await next()).toBe('data: 1\n\n')
  known.clear()
  expect(await next()).toBe('data: 2\n\n')
  vi.setSystemTime(Date.now() + 21_000)
  expect(await reader.read()).toEqual({ done: true, value: undefined })
  expect(left).toHaveBeenCalledOnce()
})

it('a stream ends two minutes after its agent’s key', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { agents, app } = stream('agent')
  const answer = await app.request('/numbers', { headers: { authorization: 'Bearer ak_good' } })
  const reader = answer.body!.getReader()
  expect((await reader.read()).done).toBe(false)
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(false)
  agents.clear()
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(false)
  vi.setSystemTime(Date.now() + 119_000)
  expect((await reader.read()).done).toBe(false)
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(true)
})

it('a stream ends once its key loses the scope', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { known, app } = stream()
  const answer = await app.request('/numbers', { headers: { authorization: 'Bearer sk_good' } })
  const reader = answer.body!.getReader()
  await reader.read()
  known.set('good', { ...user, scopes: ['chat'] })
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(true)
})

it('a stream continues while the table is unavailable, and is checked again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { known, app } = stream()
  const answer = await app.request('/numbers', { headers: { authorization: 'Bearer sk_good' } })
  const reader = answer.body!.getReader()
  await reader.read()
  const get = vi.spyOn(known, 'get').mockImplementation(() => {
    throw new Error('the table does not answer')
  })
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(false)
  get.mockRestore()
  known.clear()
  expect((await reader.read()).done).toBe(false)
  vi.setSystemTime(Date.now() + 21_000)
  expect((await reader.read()).done).toBe(true)
})

it('the last event of a model’s stream has the id of its request', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { agents, app } = stream('agent', 'backend')
  const headers = { authorization: 'Bearer ak_good', 'x-request-id': 'req_1' }
  const reader = (await app.request('/numbers', { headers })).body!.getReader()
  await reader.read()
  agents.clear()
  vi.setSystemTime(Date.now() + 21_000)
  await reader.read()
  vi.setSystemTime(Date.now() + 121_000)
  const last = new TextDecoder().decode((await reader.read()).value)
  expect(last).toMatch(/^event: error\ndata: /)
  expect(JSON.parse(last.split('data: ')[1] ?? '')).toMatchObject({
    type: 'error',
    request_id: 'req_1',
  })
  expect((await reader.read()).done).toBe(true)
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newUser } from '#shared/accounts/users/user.ts'
import { createApp } from '#shared/http/app.ts'
import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Fleet, startFleet } from '#tests/support/agents/fleet.ts'
import { routes } from '../agents.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet()
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

const people = new Map<string, UserIdentity>()

/** Creates a user with a session. The session token is the user's id. */
async function person(plan = 'solo', status = 'active', isAdmin = false): Promise<string> {
  const id = `usr_${people.size}`
  const email = `${id}@b.co`
  const user = { id, email, name: id, emailVerified: true, accessEpoch: 0, isAdmin, plan }
  const subscription = { id: null, status }
  people.set(id, { ...user, subscription })
  await userStore(fleet.table, id).put('profile', {
    ...newUser({ id, email, name: id, emailVerified: true, plan, referralCode: id }),
    subscription: { ...subscription, customerId: null },
  })
  return id
}

interface Call {
  user?: string
  body?: unknown
  headers?: Record<string, string>
  killed?: boolean
}

async function call(method: string, path: string, { user, body, headers, killed }: Call = {}) {
  const { services } = fleet
  const app = createApp({
    surface: 'web',
    name: 'web-agents',
    routes,
    services: killed
      ? { ...services, config: { ...services.config, KILL_SWITCH: true } }
      : services,
    settings: { RATE_LIMITS: 'off', WEB_URL: 'http://localhost:3000' },
    identity: { session: async (token) => people.get(token) },
    table: fleet.table,
  })
  const answer = await app.request(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(user !== undefined && { cookie: `service-session=${user}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as never }
}

interface Provisioned {
  agent: { id: string; model: string; websocketUrl: string }
}

const provision = (user: string, body: object = { name: 'Ada' }, headers = {}) =>
  call('POST', '/api/agents/provision', { user, body, headers })

async function made(user: string, body?: object): Promise<string> {
  const answer = await provision(user, body)
  expect(answer.status).toBe(201)
  return (answer.body as Provisioned).agent.id
}

const rowOf = (user: string, id: string) => fleet.row({ id, userId: user })

describe('POST /api/agents/provision', () => {
  it('returns the new agent, and enqueues its start', async () => {
    const user = await person()
    const { status, body } = await provision(user, { name: 'Ada Lovelace' })
    expect(status).toBe(201)
    expect(body).toEqual({
      success: true,
      agent: {
        id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
        name: 'Ada Lovelace',
        status: 'provisioning',
        model: 'claude-opus-4-6',
        websocketUrl: expect.stringMatching(
          /^ws:\/\/ada-lovelace-[0-9a-z]{8}\.agents\.localhost:3002$/,
        ),
        createdAt: expect.any(String),
      },
    })
    const { id } = (body as Provisioned).agent
    expect(fleet.sent).toEqual([
      {
        queue: 'provisioning',
        delaySeconds: 0,
        body: { kind: 'start', userId: user, agentId: id, generation: 1, reason: 'start' },
      },
    ])
    const running = await fleet.untilRunning(await rowOf(user, id))
    expect(running.status).toBe('running')
  })

  it.each([
    [{}, 'claude-opus-4-6', 'anthropic', 'label'],
    [{ config: { aiProvider: 'openai' } }, 'claude-opus-4-6', 'anthropic', 'label'],
    [{ model: 'gpt-4' }, 'gpt-4', 'router', 'label'],
    [{ model: 'gpt-4', config: { aiProvider: 'openai' } }, 'gpt-4', 'openai', 'label'],
    [{ model: 'custom', config: { model: 'a/b' }, tier: 'pro' }, 'custom', 'router', 'collective'],
    [{ tier: 'enterprise' }, 'claude-opus-4-6', 'anthropic', 'network'],
  ])('sets for %j model %s, provider %s, plan %s', async (given, model, aiProvider, plan) => {
    const user = await person('network')
    const id = await made(user, { name: 'Ada', ...given })
    expect(await rowOf(user, id)).toMatchObject({ model, aiProvider, plan })
  })

  it.each([
    ['label', 'enterprise', 'label'],
    ['solo', 'pro', 'solo'],
    ['collective', 'network', 'collective'],
    ['collective', 'starter', 'solo'],
  ])('gives a user who pays for %s and requests %s a container of %s', async (paid, tier, plan) => {
    const user = await person(paid)
    expect(await rowOf(user, await made(user, { name: 'Ada', tier }))).toMatchObject({ plan })
  })

  it('never exceeds the limit, under concurrent requests', async () => {
    const user = await person('collective')
    const answers = await Promise.all(Array.from({ length: 25 }, () => provision(user)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(answers.length - refused.length).toBe(10)
    for (const { status, body } of refused)
      expect([status, body]).toEqual([
        429,
        { error: 'Agent limit reached', current: 10, limit: 10 },
      ])
    const profile = await userStore(fleet.table, user).get('profile')
    expect(profile?.agentCount).toBe(10)
  })

  it('POST /api/agents/provision with an idempotency key creates one agent, even after a crash before its answer', async () => {
    const user = await person('label')
    const headers = { 'idempotency-key': 'first' }
    const broken = {
      ...fleet.services.queues,
      send: async () => {
        throw new Error('killed')
      },
    }
    const { queues } = fleet.services
    fleet.services.queues = broken
    expect((await provision(user, { name: 'Ada' }, headers)).status).toBe(500)
    fleet.services.queues = queues
    const second = await provision(user, { name: 'Ada' }, headers)
    expect(second.status).toBe(201)
    const third = await provision(user, { name: 'Ada' }, headers)
    expect([third.status, third.body]).toEqual([201, second.body])
    expect(third.headers.get('idempotent-replayed')).toBe('true')
    expect((await call('GET', '/api/agents', { user })).body).toMatchObject({ count: 1 })
    expect(fleet.sent).toHaveLength(1)
  })

  it.each([
    ['a number that the table cannot hold', { x: 1e300 }],
    ['an unsafe integer', { x: 2 ** 60 }],
    ['too deep a nesting', JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40))],
    ['an empty name', { '': 1 }],
    ['half a surrogate pair', { x: ['\ud800'] }],
    ['half a surrogate pair in a name', { '\udc00': 1 }],
    ['a provider that is not a string', { aiProvider: 7 }],
    ['more than a row’s size', { x: 'a'.repeat(70_000) }],
    ['a prompt above the limit of ECS', { systemPrompt: 'a'.repeat(4001) }],
    ['a prompt with a NUL', { systemPrompt: 'a\0b' }],
    ['a list', []],
  ])('rejects a config with %s', async (_, config) => {
    const user = await person()
    const { status, body } = await provision(user, { name: 'Ada', config })
    expect([status, body]).toEqual([400, { error: expect.stringContaining('config') }])
    expect(fleet.sent).toEqual([])
  })

  it.each([
    ['without a subscription', 'inactive', false, 402],
    ['past due', 'past_due', false, 402],
    ['on trial', 'trialing', false, 201],
    ['an admin without one', 'inactive', true, 201],
  ])('%s: %s, admin %s: %i', async (_, subscription, isAdmin, status) => {
    const user = await person('solo', subscription, isAdmin)
    expect((await provision(user)).status).toBe(status)
  })

  it('is disabled while provisioning is switched off', async () => {
    const user = await person()
    const options = { user, body: { name: 'Ada' }, killed: true }
    const { status, body } = await call('POST', '/api/agents/provision', options)
    expect([status, body]).toEqual([
      503,
      {
        error: expect.stringMatching(/cannot be started or stopped/) as string,
        code: 'PROVISIONING_DISABLED',
      },
    ])
    expect((await call('GET', '/api/agents', { user })).body).toMatchObject({ count: 0 })
  })

  it('accepts no limit, owner or state from the body', async () => {
    const user = await person('label')
    const body = { name: 'A', limit: 99, userId: 'usr_x', plan: 'network', status: 'running' }
    const row = await rowOf(user, await made(user, body))
    expect(row).toMatchObject({ userId: user, plan: 'label', status: 'provisioning' })
    expect((await provision(user, body)).body).toMatchObject({ limit: 1 })
  })
})

describe('GET /api/agents', () => {
  it('lists the caller’s own agents, newest first, and no agent without a session', async () => {
    const [user, other] = [await person(), await person()]
    const first = await made(user)
    await made(other)
    const second = await made(user, { name: 'Eve' })
    const { body } = await call('GET', '/api/agents', { user })
    const text = expect.any(String)
    const times = { createdAt: text, updatedAt: text }
    const shown = { model: text, status: text, websocketUrl: text, ...times }
    expect(body).toEqual({
      agents: [
        { id: second, name: 'Eve', ...shown },
        { id: first, name: 'Ada', ...shown },
      ],
      count: 2,
      status: 'ok',
    })
    const empty = { agents: [], count: 0, status: 'ok' }
    expect((await call('GET', '/api/agents')).body).toEqual(empty)
    expect((await call('GET', '/api/agents', { user: 'unknown' })).body).toEqual(empty)
  })

  it.each([`Bearer sk_${'0'.repeat(64)}`, 'Bearer nonsense', 'Bearer', 'Basic YTpi'])(
    'rejects the credential %j, with a session or without one',
    async (authorization) => {
      const headers = { authorization }
      for (const user of [undefined, await person()]) {
        const { status, body } = await call('GET', '/api/agents', {
          headers,
          ...(user && { user }),
        })
        const wrong = authorization.startsWith('Bearer ') || user === undefined
        expect([user, status]).toEqual([user, wrong ? 401 : 200])
        if (wrong) expect(body).toEqual({ error: 'Unauthorized' })
      }
    },
  )
})

describe('GET /api/agents/:id', () => {
  it('returns the whole agent', async () => {
    const user = await person()
    const id = await made(user)
    const agent = await fleet.untilRunning(await rowOf(user, id))
    const { body } = await call('GET', `/api/agents/${id}`, { user })
    expect(body).toEqual({
      agent: {
        id,
        name: 'Ada',
        model: 'claude-opus-4-6',
        status: 'running',
        websocketUrl: `ws://${agent.subdomain}.agents.localhost:3002`,
        createdAt: agent.createdAt,
        updatedAt: agent.updatedAt,
        plan: 'label',
        subdomain: agent.subdomain,
        url: `http://${agent.subdomain}.agents.localhost:3002`,
        runtimeVersion: '1.2.3',
        sleepAfterMinutes: 15,
        startedAt: agent.startedAt,
        stopReason: null,
        watchdog: { state: 'stopped', attempts: 0, incidents: [] },
      },
      status: 'ok',
    })
  })

  it('is 404 for another user’s agent, a missing one and an invalid id', async () => {
    const [user, other] = [await person(), await person()]
    const id = await made(other)
    const nobodys = `agt_${'0'.repeat(26)}`
    for (const request of [id, nobodys, 'x', `${id}%23`, 'a'.repeat(3000), '%00'])
      expect(await call('GET', `/api/agents/${request}`, { user })).toMatchObject({
        status: 404,
        body: { error: 'Agent not found' },
      })
    expect((await call('GET', `/api/agents/${id}`)).status).toBe(401)
  })
})

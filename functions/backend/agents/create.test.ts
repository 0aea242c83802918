import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Backend, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

describe('POST /api/agents', () => {
  it('creates an agent in the state pending', async () => {
    const user = await backend.subscriber('solo')
    const config = { plan: 'collective', aiProvider: 'openai', note: { kept: true } }
    const { status, body } = await backend.call('POST', '/api/agents', {
      user,
      body: { name: 'Ünï cödé!', config },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^agt_/),
      agentId: body.id,
      name: 'Ünï cödé!',
      status: 'pending',
      subdomain: expect.stringMatching(/^uni-code-[0-9a-z]{8}$/),
      url: `http://${String(body.subdomain)}.agents.localhost:3002`,
      createdAt: expect.any(String),
    })
    const row = await backend.fleet.row({ id: String(body.id), userId: user })
    expect(row).toMatchObject({ plan: 'collective', aiProvider: 'openai', config })
    expect(backend.fleet.sent).toEqual([])
  })

  it('names an agent whose name has no letters', async () => {
    expect((await backend.made(null, { name: '???' })).subdomain).toMatch(/^agent-[0-9a-z]{8}$/)
    const long = await backend.made(null, { name: 'a'.repeat(100) })
    expect(long.subdomain).toMatch(/^a{40}-[0-9a-z]{8}$/)
  })

  it.each([
    ['label', 1],
    ['solo', 3],
    ['free', 1],
  ])('enforces the limit of plan %s at %i', async (plan, limit) => {
    const user = await backend.subscriber(plan)
    const answers = await Promise.all(
      Array.from({ length: limit + 3 }, () =>
        backend.call('POST', '/api/agents', { user, body: { name: 'A' } }),
      ),
    )
    const refused = answers.filter(({ status }) => status === 402)
    expect(refused).toHaveLength(3)
    for (const { body } of refused)
      expect(body).toEqual({
        error: 'Agent limit reached',
        code: 'AGENT_LIMIT_REACHED',
        current: limit,
        limit,
      })
  })

  it('limits an owner without an account to one, wherever the id is given', async () => {
    const user = backend.newUser()
    expect((await backend.made(user)).userId).toBe(user)
    const body = { name: 'A', userId: user }
    expect((await backend.call('POST', '/api/agents', { body })).status).toBe(402)
    const profile = await userStore(backend.fleet.table, user).get('profile')
    expect(profile).toBeUndefined()
    // The header has precedence over the body.
    const other = backend.newUser()
    await backend.call('POST', '/api/agents', { user: other, body })
    expect((await backend.call('GET', '/api/agents', { user: other })).body).toHaveLength(1)
  })

  it('lets an admin create more', async () => {
    const user = await backend.subscriber('label', 'admin@b.co')
    await backend.made(user)
    await backend.made(user)
    const acting = { user: backend.newUser(), headers: { 'x-user-email': 'Admin@b.co' } }
    for (const name of ['A', 'B'])
      expect(
        (await backend.call('POST', '/api/agents', { ...acting, body: { name } })).status,
      ).toBe(201)
  })

  it('does not count a deleted agent', async () => {
    const user = await backend.subscriber('label')
    for (let i = 0; i < 3; i++) {
      const { id } = await backend.made(user)
      const deleted = await backend.call('DELETE', `/api/agents/${id}`, { user })
      expect(deleted.body).toEqual({ id, deleted: true })
    }
    expect((await userStore(backend.fleet.table, user).get('profile'))?.agentCount).toBe(0)
  })

  it.each([
    [{}, 'name required'],
    [{ name: ' ' }, 'name required'],
    [{ name: 'A', userId: 'a#b' }, 'userId'],
    [{ name: 'A', userId: '@platform' }, 'userId'],
    [{ name: 'A', config: { constructor: { a: 1 } } }, 'config'],
    [{ name: 'A', config: { a: { constructor: { name: 'Set' } } } }, 'config'],
    [{ name: 'A', config: { a: JSON.parse('{"__proto__":{"x":1}}') } }, 'config'],
    [{ name: 'A', config: { a: nested(4000) } }, 'config'],
  ])('rejects %j', async (body, error) => {
    const answer = await backend.call('POST', '/api/agents', { body })
    expect(answer).toEqual({ status: 400, body: { error: expect.stringContaining(error) } })
  })
})

/** Returns lists nested to a depth. */
function nested(depth: number): unknown {
  let value: unknown = []
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

describe('GET /api/agents', () => {
  it('returns all agents to the platform, and a user’s caller only theirs', async () => {
    const mine = backend.newUser()
    const ids = [
      await backend.made(mine),
      await backend.made(null),
      await backend.made(backend.newUser()),
    ].map(({ id }) => id)
    const everything = (await backend.call('GET', '/api/agents')).body as unknown as Agent[]
    const all = everything.map(({ id }) => id)
    expect(all.filter((id) => ids.includes(id)).sort()).toEqual(ids.sort())
    expect(all).toEqual(all.toSorted().toReversed())
    const { body } = await backend.call('GET', '/api/agents', { user: mine })
    expect(body).toEqual([
      {
        id: expect.stringMatching(/^agt_/),
        status: 'pending',
        created: expect.any(String),
        subdomain: expect.any(String),
        url: expect.stringMatching(/^http:/),
      },
    ])
  })
})

describe('without the platform’s key', () => {
  it.each([
    ['GET', '/api/agents'],
    ['POST', '/api/agents'],
    ['PUT', '/api/agents/x'],
    ['DELETE', '/api/agents/x'],
    ['POST', '/api/deployments'],
  ])('%s %s is 401, with another key 403', async (method, path) => {
    const status = async (authorization: string) =>
      (await backend.call(method, path, { headers: { authorization } })).status
    expect([await status(''), await status('Bearer another')]).toEqual([401, 403])
  })
})

it('requires a plan if the config names `free`, as POST /api/provision does, and creates nothing', async () => {
  const user = await backend.subscriber('solo')
  const body = { name: 'Ada', config: { plan: 'free' } }
  expect(await backend.call('POST', '/api/agents', { user, body })).toEqual({
    status: 402,
    body: { error: 'A plan is required', code: 'PLAN_REQUIRED' },
  })
  expect((await backend.call('GET', '/api/agents', { user })).body).toEqual([])
})

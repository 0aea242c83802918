import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { type Backend, type Call, startBackend } from '#tests/support/agents/backend-agents.ts'

let backend: Backend

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.fleet.close())
beforeEach(() => backend.fleet.forget())

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys'

const complete = (userId: string) => ({
  userId,
  plan: 'solo',
  aiProvider: 'openai',
  telegramToken,
  subscriptionId: 'sub_1',
})

const provision = (body: object, given: Call = {}) =>
  backend.call('POST', '/api/provision', { body, ...given })

const agentsOf = async (user: string) =>
  (await userStore(backend.fleet.table, user).query({ beginsWith: 'agent#' })).items

describe('POST /api/provision', () => {
  it('creates an agent with its channels, starts it, and shows no token to anyone', async () => {
    const user = await backend.subscriber('solo')
    const spies = [vi.spyOn(console, 'log'), vi.spyOn(process.stdout, 'write')]
    const { status, body } = await provision({
      ...complete(user),
      whatsappToken: 'whatsapp-token',
      name: 'Ada Lovelace',
    })
    expect(status).toBe(201)
    const agentId = String(body.agentId)
    const subdomain = `ada-lovelace-${agentId.slice(-8)}`
    expect(body).toEqual({
      success: true,
      userId: user,
      agentId,
      aiProvider: 'openai',
      plan: 'solo',
      subdomain,
      url: `http://${subdomain}.agents.localhost:3002`,
      status: 'provisioning',
      createdAt: expect.any(String),
      channels: { telegram: true, discord: false, whatsapp: true },
    })
    const row = await backend.fleet.untilRunning(
      await backend.fleet.row({ id: agentId, userId: user }),
    )
    const environment = await backend.fleet.environmentOf(row)
    expect(environment).toMatchObject({ WHATSAPP_TOKEN: 'whatsapp-token' })
    expect(environment).not.toHaveProperty('TELEGRAM_TOKEN')
    expect(JSON.stringify(row)).not.toContain(telegramToken)
    for (const spy of spies) {
      expect(JSON.stringify(spy.mock.calls)).not.toContain(telegramToken)
      spy.mockRestore()
    }
  })

  it('finds the owner by x-user-id, then by id, then by email', async () => {
    const header = await backend.subscriber('solo')
    const id = await backend.subscriber('solo')
    const mail = await backend.subscriber('solo')
    await backend.fleet.table.put({ pk: `email#${mail}@b.co`, sk: 'email', userId: mail })
    const body = { ...complete(id), email: `${mail}@b.co` }
    expect((await provision(body, { user: header })).body.userId).toBe(header)
    expect((await provision(body)).body.userId).toBe(id)
    const { userId: _, ...byEmail } = body
    expect((await provision(byEmail)).body.userId).toBe(mail)
    const unknown = await provision({ ...byEmail, email: 'unknown@b.co' })
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'User not found' }])
    const stranger = backend.newUser()
    for (const answer of [
      await provision(complete(stranger)),
      await provision({ ...byEmail, userId: stranger }),
      await provision(body, { user: stranger }),
    ])
      expect(answer).toEqual({ status: 404, body: { error: 'User not found' } })
    expect(await agentsOf(stranger)).toEqual([])
    const { email: __, ...ownerless } = byEmail
    expect(await provision(ownerless)).toMatchObject({
      status: 400,
      body: { error: 'userId or email required' },
    })
  })

  it.each([
    ['no channel token', { telegramToken: undefined }, /required/],
    ['an empty token', { telegramToken: '' }, /telegramToken/],
    ['a masked token', { telegramToken: '••••abcd' }, /telegramToken/],
    ['a token with a line break', { telegramToken: 'a\nb' }, /telegramToken/],
    ['no plan', { plan: undefined }, /plan required/],
    ['no provider', { aiProvider: undefined }, /aiProvider required/],
    ['no subscription', { subscriptionId: undefined }, /subscriptionId required/],
    ['a wrong owner', { userId: '@platform' }, /userId/],
    ['a wrong name', { name: '' }, /name required/],
    ['a plan that is not a string', { plan: 7 }, /plan/],
  ])('rejects %s, and creates nothing', async (_, change, error) => {
    const user = await backend.subscriber('solo')
    const { status, body } = await provision({ ...complete(user), ...change })
    expect([status, body]).toEqual([400, { error: expect.stringMatching(error) }])
    expect(await agentsOf(user)).toEqual([])
    expect(backend.fleet.sent).toEqual([])
  })

  it('requires a plan', async () => {
    const user = await backend.subscriber('solo')
    const { status, body } = await provision({ ...complete(user), plan: 'free' })
    expect([status, body]).toEqual([402, { error: 'A plan is required', code: 'PLAN_REQUIRED' }])
    expect(await agentsOf(user)).toEqual([])
  })

  it.each([
    ['solo', 1],
    ['collective', 3],
    ['label', 10],
  ])('enforces the limit of %s, %i, under concurrent requests', async (plan, limit) => {
    const user = await backend.subscriber('solo')
    const answers = await Promise.all(
      Array.from({ length: limit + 2 }, () => provision({ ...complete(user), plan })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused).toEqual(
      [1, 2].map(() => ({
        status: 402,
        body: {
          error: 'Agent limit reached',
          code: 'AGENT_LIMIT_REACHED',
          current: limit,
          limit,
        },
      })),
    )
    expect(await agentsOf(user)).toHaveLength(limit)
  })

  it('starts no agent for a user whose plan has ended, except for an operator', async () => {
    const user = await backend.subscriber('solo')
    await backend.fleet.pays(user, 'canceled')
    expect(await provision(complete(user), { user })).toEqual({
      status: 402,
      body: { error: 'An active subscription is required', code: 'SUBSCRIPTION_REQUIRED' },
    })
    expect(await agentsOf(user)).toEqual([])
    expect(backend.fleet.sent).toEqual([])
    expect((await provision(complete(user))).status).toBe(201)
  })

  it('starts agents of an administrator, who needs no plan', async () => {
    const user = await backend.subscriber('free', 'admin@b.co')
    const none = { id: null, status: 'inactive', customerId: null }
    await userStore(backend.fleet.table, user).update('profile', { set: { subscription: none } })
    expect((await provision(complete(user), { user })).status).toBe(201)
  })

  it('has no limit for the plan network', async () => {
    const user = await backend.subscriber('network')
    await userStore(backend.fleet.table, user).update('profile', { set: { agentCount: 5000 } })
    expect((await provision({ ...complete(user), plan: 'network' })).status).toBe(201)
  })

  it('creates nothing while it is disabled', async () => {
    const user = await backend.subscriber('solo')
    const { status, body } = await provision(complete(user), { killed: true })
    expect([status, body]).toEqual([
      503,
      {
        error: expect.stringMatching(/cannot be started or stopped/) as string,
        code: 'PROVISIONING_DISABLED',
      },
    ])
    expect(await agentsOf(user)).toEqual([])
  })

  it('POST /api/provision with an idempotency key creates one agent, and stores no token with the answer', async () => {
    const user = await backend.subscriber('collective')
    const headers = { 'idempotency-key': 'once' }
    const body = { ...complete(user), plan: 'collective' }
    const first = await provision(body, { headers })
    const second = await provision(body, { headers })
    expect(second).toEqual(first)
    expect(await agentsOf(user)).toHaveLength(1)
    const other = await provision({ ...body, telegramToken: 'another' }, { headers })
    expect(other.status).toBe(409)
  })

  it('is for the platform’s own callers', async () => {
    const user = await backend.subscriber('solo')
    const wrong = { authorization: 'Bearer wrong' }
    expect((await provision(complete(user), { headers: wrong })).status).toBe(403)
    const none = { authorization: '' }
    expect((await provision(complete(user), { headers: none })).status).toBe(401)
    expect(await agentsOf(user)).toEqual([])
  })
})

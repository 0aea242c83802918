import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { userStore } from '#shared/platform/table/user-store.ts'
import { startWebAgents, type WebAgents, type WebCall } from '#tests/support/agents/web-agents.ts'

let web: WebAgents

beforeAll(async () => {
  web = await startWebAgents()
})
afterAll(() => web.fleet.close())
beforeEach(() => web.fleet.forget())

const telegramToken = '123456789:AAF-of-a-bot-that-is-nobodys'

const provision = (user: string, body: object = {}, given: WebCall = {}) =>
  web.call('POST', '/api/provision', { user, body: { telegramToken, ...body }, ...given })

const agentsOf = async (user: string) =>
  (await userStore(web.fleet.table, user).query({ beginsWith: 'agent#' })).items

describe('POST /api/provision of a signed-in user', () => {
  it('creates an agent of their own plan, and starts it', async () => {
    const user = await web.person('collective')
    const stranger = { userId: 'usr_other', email: 'other@b.co', subscriptionId: 'sub_other' }
    const { status, body } = await provision(user, stranger)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      success: true,
      userId: user,
      plan: 'collective',
      aiProvider: 'router',
      status: 'provisioning',
      channels: { telegram: true, discord: false, whatsapp: false },
    })
    expect(JSON.stringify(body)).not.toContain(telegramToken)
    expect(web.fleet.sent).toMatchObject([{ body: { kind: 'start', agentId: body.agentId } }])
  })

  it('accepts a smaller plan, but no plan that they do not pay for', async () => {
    const user = await web.person('solo')
    const refused = await provision(user, { plan: 'network' })
    expect(refused).toMatchObject({ status: 402, body: { code: 'PLAN_REQUIRED' } })
    expect(await agentsOf(user)).toEqual([])
    expect((await provision(user, { plan: 'label' })).body.plan).toBe('label')
    // The limit follows the plan that the user pays for, even if they request another.
    expect(await provision(user, { plan: 'label' })).toMatchObject({
      status: 402,
      body: { code: 'AGENT_LIMIT_REACHED', current: 1, limit: 1 },
    })
  })

  it('requires a subscription, except of admins', async () => {
    const user = await web.person('solo', { status: 'past_due' })
    const { status, body } = await provision(user)
    expect([status, body]).toEqual([
      402,
      { error: 'An active subscription is required', code: 'SUBSCRIPTION_REQUIRED' },
    ])
    expect(await agentsOf(user)).toEqual([])
    const admin = await web.person('free', { status: 'inactive', isAdmin: true })
    expect((await provision(admin)).body).toMatchObject({ plan: 'network' })
    expect((await provision(admin)).status).toBe(201)
  })

  it.each([
    [{ telegramToken: undefined }, /required/],
    [{ telegramToken: 7 }, /telegramToken/],
    [{ name: '\n' }, /name/],
    [{ plan: '' }, /plan/],
  ])('rejects %j, and creates nothing', async (change, error) => {
    const user = await web.person()
    const { status, body } = await provision(user, change)
    expect([status, body]).toEqual([400, { error: expect.stringMatching(error) }])
    expect(await agentsOf(user)).toEqual([])
  })

  it('creates nothing while it is disabled, nor without a session', async () => {
    const user = await web.person()
    const { status, body } = await provision(user, {}, { settings: { KILL_SWITCH: true } })
    expect([status, body.code]).toEqual([503, 'PROVISIONING_DISABLED'])
    const unknown = await web.call('POST', '/api/provision', { body: { telegramToken } })
    expect(unknown.status).toBe(401)
    expect(await agentsOf(user)).toEqual([])
  })

  it('POST /api/provision of a signed-in user with an idempotency key creates one agent', async () => {
    const user = await web.person('network')
    const headers = { 'idempotency-key': 'once' }
    const first = await provision(user, {}, { headers })
    expect(await provision(user, {}, { headers })).toEqual(first)
    expect(await agentsOf(user)).toHaveLength(1)
  })
})

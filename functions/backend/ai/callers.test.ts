import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newUser } from '../../../shared/accounts/user.ts'
import { agentKey, aiKeyKey } from '../../../shared/agents/agent.ts'
import { agentAiKey } from '../../../shared/agents/ai-key.ts'
import { keyRowKey } from '../../../shared/keys/key.ts'
import { newSecret } from '../../../shared/keys/secret.ts'
import { sha256Hex } from '../../../shared/platform/crypto.ts'
import { newId } from '../../../shared/platform/ids.ts'
import { platformOwner, userPartition } from '../../../shared/platform/table/user-store.ts'
import type { SubscriptionStatus } from '../../../shared/plans/subscriptions.ts'
import {
  adminEmail,
  eventsOf,
  hello,
  quotaOf,
  startGateway,
} from '../../../tests/support/gateway.ts'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'
import { says, startUpstream, type Upstream, usage } from '../../../tests/support/upstream.ts'

const fast = 'meta-llama/llama-3.3-70b-instruct'

let db: TestTable
let upstream: Upstream
let gateway: ReturnType<typeof startGateway>
let count = 0

beforeAll(async () => {
  db = await startTestTable()
  upstream = await startUpstream()
  upstream.list([
    { id: 'acme/listed', created: 1_650_000_000 },
    { id: 'openai/gpt-4o', created: 7 },
  ])
  upstream.serve(fast, says('fast', usage(10, 5)))
  upstream.serve('openai/gpt-4o', says('big', usage(10, 5)))
})
afterAll(async () => {
  await upstream.close()
  await db.close()
})
beforeEach(() => {
  gateway = startGateway(db.table, { AI_BASE_URL: upstream.baseUrl })
})

/** A user's stored account. */
async function accountOf(userId: string, { email, emailVerified, plan, status }: Owner) {
  await db.table.put({
    pk: userPartition(userId),
    sk: 'profile',
    ...newUser({
      id: userId,
      email: email ?? 'o@example.com',
      emailVerified: emailVerified ?? true,
      name: 'O',
      referralCode: 'R',
      credits: 0,
      plan,
      subscription: { id: 'sub', status, customerId: null },
    }),
  })
}

interface Owner {
  plan: string
  status: SubscriptionStatus
  email?: string
  emailVerified?: boolean
}

/** An agent with a key, and its owner's account where there is one. */
async function agentOf(owner: Owner | 'no account' | 'platform', plan = 'label') {
  const n = count++
  const userId = owner === 'platform' ? null : `usr_owner${n}`
  const agentId = newId('agent')
  if (userId !== null && typeof owner === 'object') await accountOf(userId, owner)
  await db.table.put({ ...agentKey({ userId, agentId }), id: agentId, userId, plan, config: {} })
  const key = await agentAiKey('an encryption key', { id: agentId, userId }, 1)
  const keyRow = aiKeyKey(await sha256Hex(key))
  await db.table.put({ ...keyRow, agentId, userId, generation: 1 })
  // Whatever an agent says of plans is not to be believed.
  const headers = {
    authorization: `Bearer ${key}`,
    'x-user-id': 'usr_someone',
    'x-user-plan': 'network',
    'x-user-email': adminEmail,
  }
  const chat = (body: object = {}) => gateway.chat({ ...hello, ...body }, { headers })
  return { userId, agentId, headers, chat, revoke: () => db.table.delete(keyRow) }
}

const solo: Owner = { plan: 'solo', status: 'active' }

describe('an agent’s key', () => {
  it('spends from its owner’s plan, under the agent’s name', async () => {
    const { userId, agentId, chat } = await agentOf(solo)
    const answer = await chat({ model: 'openai/gpt-4o' })
    expect(await answer.json()).toMatchObject({ model: 'openai/gpt-4o' })
    expect(await eventsOf(db.table, userId ?? '')).toEqual([
      expect.objectContaining({ userId, agentId, model: 'openai/gpt-4o' }),
    ])
    expect(await quotaOf(db.table, userId ?? '')).toMatchObject({ used: 15 })
    expect(await eventsOf(db.table, 'usr_someone')).toEqual([])
  })

  it.each(['claude-opus-4-6', 'gpt-4', 'custom'])(
    'takes %s, a model that a runtime knows by its own name, for a choice of ours',
    async (model) => {
      const { chat } = await agentOf(solo)
      expect(await (await chat({ model })).json()).toMatchObject({ model: fast })
    },
  )

  it('is held to its owner’s models all the same', async () => {
    const { chat } = await agentOf(solo)
    expect((await chat({ model: 'openai/gpt-4-turbo' })).status).toBe(403)
  })

  it.each<[string, Owner | 'no account', string, number]>([
    ['a free plan', { plan: 'free', status: 'active' }, 'network', 402],
    ['a cancelled subscription', { plan: 'solo', status: 'canceled' }, 'network', 402],
    ['a subscription past due', { plan: 'solo', status: 'past_due' }, 'network', 402],
    ['a trial', { plan: 'solo', status: 'trialing' }, 'label', 200],
    ['an admin', { plan: 'free', status: 'inactive', email: adminEmail }, 'label', 200],
    [
      'an unproven admin',
      { plan: 'free', status: 'inactive', email: adminEmail, emailVerified: false },
      'label',
      402,
    ],
    ['no account, but a plan of its own', 'no account', 'label', 200],
    ['no account and no plan', 'no account', 'free', 402],
  ])('of an owner with %s', async (_, owner, plan, status) => {
    const { chat } = await agentOf(owner, plan)
    expect((await chat()).status).toBe(status)
  })

  it('of an agent without an owner acts for the platform, without a quota', async () => {
    const { chat, agentId } = await agentOf('platform')
    expect((await chat()).status).toBe(200)
    expect(await eventsOf(db.table, platformOwner)).toEqual([
      expect.objectContaining({ userId: platformOwner, agentId }),
    ])
  })

  it('is worth nothing once it is revoked', async () => {
    const { chat, revoke, headers } = await agentOf(solo)
    expect((await chat()).status).toBe(200)
    await revoke()
    expect((await chat()).status).toBe(401)
    expect((await gateway.models({ headers })).status).toBe(401)
  })
})

describe('a user’s key', () => {
  async function keyOf(owner: Owner) {
    const userId = newId('user')
    await accountOf(userId, owner)
    const secret = newSecret(userId)
    const row = { pk: userPartition(userId), sk: keyRowKey(await sha256Hex(secret)) }
    await db.table.put({ ...row, id: newId('key'), name: 'k', hash: '', createdAt: '' })
    // The headers of a trusted caller are no business of a user's.
    const headers = { authorization: `Bearer ${secret}`, 'x-user-plan': 'network' }
    const chat = (body: object = {}) => gateway.chat({ ...hello, ...body }, { headers })
    return { userId, chat, headers, remove: () => db.table.delete(row) }
  }

  it('spends from its user’s stored plan, whatever its headers say', async () => {
    const { userId, chat, headers, remove } = await keyOf(solo)
    expect((await chat({ model: 'openai/gpt-4-turbo' })).status).toBe(403)
    expect((await chat({ model: 'openai/gpt-4o' })).status).toBe(200)
    expect(await eventsOf(db.table, userId)).toEqual([
      expect.objectContaining({ userId, agentId: null }),
    ])
    const { data } = (await (await gateway.models({ headers })).json()) as { data: object[] }
    expect(data).toHaveLength(5)
    await remove()
    expect((await chat()).status).toBe(401)
  })

  it.each<[Owner, number, string]>([
    [{ plan: 'free', status: 'active' }, 402, 'PLAN_REQUIRED'],
    [{ plan: 'solo', status: 'inactive' }, 402, 'SUBSCRIPTION_REQUIRED'],
  ])('of %j is refused', async (owner, status, code) => {
    const { chat } = await keyOf(owner)
    const answer = await chat()
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { code } })
  })

  it('of an admin is unlimited', async () => {
    const { chat } = await keyOf({ plan: 'free', status: 'inactive', email: adminEmail })
    expect((await chat()).status).toBe(200)
  })
})

describe('the platform’s key', () => {
  it('acts for anonymous where it names nobody', async () => {
    expect((await gateway.chat(hello, { headers: { 'x-user-id': undefined } })).status).toBe(200)
    expect(await eventsOf(db.table, 'anonymous')).toEqual([
      expect.objectContaining({ userId: 'anonymous', agentId: null }),
    ])
  })

  it.each(['@platform', 'a#b', ' ', '../x'])('refuses %j as a user', async (id) => {
    const answer = await gateway.chat(hello, { headers: { 'x-user-id': id } })
    expect(answer.status).toBe(id === ' ' ? 200 : 400)
  })

  it('knows a model by its full name alone', async () => {
    const answer = await gateway.chat({ ...hello, model: 'gpt-4' })
    expect(answer.status).toBe(403)
  })
})

describe('the models of a caller', () => {
  it('are those of the plan, as the provider lists them', async () => {
    const answer = await gateway.models()
    expect(await answer.json()).toEqual({
      object: 'list',
      data: [
        ['openai/gpt-4o-mini', null],
        ['google/gemini-2.0-flash', null],
        ['xiaomi/mimo-v2-pro', null],
        ['openai/gpt-4o', 7],
        ['anthropic/claude-3.5-sonnet', null],
      ].map(([id, created]) => ({
        id,
        object: 'model',
        created,
        owned_by: String(id).split('/')[0],
      })),
    })
  })

  it('are all that anybody lists, for network', async () => {
    const answer = await gateway.models({ headers: { 'x-user-plan': 'network' } })
    const { data } = (await answer.json()) as { data: { id: string }[] }
    const ids = data.map(({ id }) => id)
    expect(ids).toContain('acme/listed')
    expect(ids).toContain('openai/gpt-4-turbo')
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it.each([
    [{ 'x-user-plan': 'free' }, 402],
    [{ authorization: undefined }, 401],
  ])('are not for %j', async (headers, status) => {
    const answer = await gateway.models({ headers })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } })
  })
})

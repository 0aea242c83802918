import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '#shared/platform/ids.ts'
import { platformOwner, userPartition } from '#shared/platform/table/user-store.ts'
import { agentCaller, keyHolder, type Owner, solo } from '#tests/support/ai/callers.ts'
import {
  adminEmail,
  eventsOf,
  hello,
  itemsOf,
  quotaOf,
  startGateway,
} from '#tests/support/ai/gateway.ts'
import { says, startUpstream, type Upstream, usage } from '#tests/support/ai/upstream.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { modelList } from './schema.ts'

const fast = 'meta-llama/llama-3.3-70b-instruct'

let db: TestTable
let upstream: Upstream
let gateway: ReturnType<typeof startGateway>

/** The ids that a list has. */
const listed = async (answer: Response) =>
  modelList.parse(await answer.json()).data.map(({ id }) => id)

beforeAll(async () => {
  db = await startTestTable()
  upstream = await startUpstream()
  upstream.list([
    { id: 'acme/listed', created: 1_650_000_000 },
    { id: 'acme/timeless', created: null },
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

/** Creates an agent with a key, and an account for its owner if given. */
async function agentOf(owner: Owner | 'no account' | 'platform', plan = 'label') {
  const agent = await agentCaller(db.table, owner, { plan })
  // An agent's own headers about plans are ignored.
  const headers = {
    ...agent.headers,
    'x-user-id': 'usr_someone',
    'x-user-plan': 'network',
    'x-user-email': adminEmail,
  }
  const chat = (body: object = {}) => gateway.chat({ ...hello, ...body }, { headers })
  return { ...agent, headers, chat }
}

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
    'maps %s, a model id of an agent runtime, to a model of the platform',
    async (model) => {
      const { chat } = await agentOf(solo)
      expect(await (await chat({ model })).json()).toMatchObject({ model: fast })
    },
  )

  it('is limited to its owner’s models', async () => {
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
      'an unverified admin',
      { plan: 'free', status: 'inactive', email: adminEmail, emailVerified: false },
      'label',
      402,
    ],
    ['a plan but no account', 'no account', 'label', 200],
    ['no account and no plan', 'no account', 'free', 402],
  ])(
    'the key of an agent whose owner has %s is checked like its owner',
    async (_, owner, plan, status) => {
      const { chat } = await agentOf(owner, plan)
      expect((await chat()).status).toBe(status)
    },
  )

  it('the key of an agent without an owner acts for the platform, without a quota', async () => {
    const { chat, agentId } = await agentOf('platform')
    expect((await chat()).status).toBe(200)
    expect(await eventsOf(db.table, platformOwner)).toEqual([
      expect.objectContaining({ userId: platformOwner, agentId }),
    ])
  })

  it.each<[string, (key: string, agentId: string) => string]>([
    ['another agent’s id', (key, agentId) => key.replace(agentId, newId('agt'))],
    ['another owner', (key) => key.replace(/usr_\w+$/, newId('usr'))],
    ['no owner', (key) => key.replace(/usr_\w+$/, '@platform')],
    ['a very long owner', (key) => key + 'a'.repeat(5000)],
    ['a key’s separator in its owner', (key) => `${key}#profile`],
    [
      'other hex digits',
      (key) => key.replace(/^ak_./, (start) => (start === 'ak_0' ? 'ak_1' : 'ak_0')),
    ],
    ['only its hex digits', (key) => key.slice(0, 67)],
  ])('an agent’s key with %s is rejected', async (_, forge) => {
    const { key, agentId, userId } = await agentOf(solo)
    const forged = forge(key, agentId)
    expect(forged).not.toBe(key)
    const headers = { authorization: `Bearer ${forged}` }
    expect((await gateway.chat(hello, { headers })).status).toBe(401)
    expect(await eventsOf(db.table, userId ?? '')).toEqual([])
  })

  it('is rejected once it is revoked', async () => {
    const { chat, revoke, headers } = await agentOf(solo)
    expect((await chat()).status).toBe(200)
    await revoke()
    expect((await chat()).status).toBe(401)
    expect((await gateway.models({ headers })).status).toBe(401)
  })
})

describe('a user’s key', () => {
  it('is the key under which usage is counted, over all of its models', async () => {
    const { userId, headers } = await keyHolder(db.table, { ...solo, plan: 'network' })
    for (const model of ['openai/gpt-4o', fast, 'openai/gpt-4o'])
      expect((await gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
    const events = await eventsOf(db.table, userId)
    const keyId = events[0]?.keyId
    expect(keyId).toMatch(/^key_/)
    expect(events.map((event) => [event.keyId, event.keyName])).toEqual(
      Array.from({ length: 3 }, () => [keyId, undefined]),
    )
    const days = await itemsOf(db.table, userPartition(userId), 'key-rollup#')
    // Two, if midnight UTC passes.
    expect(days.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(3)
    expect(days[0]).toMatchObject({ keyId, keyName: 'k' })
  })

  async function keyOf(owner: Owner) {
    const holder = await keyHolder(db.table, owner)
    // Headers of trusted callers are ignored for users.
    const headers = { ...holder.headers, 'x-user-plan': 'network' }
    const chat = (body: object = {}) => gateway.chat({ ...hello, ...body }, { headers })
    return { ...holder, headers, chat }
  }

  it('spends from its user’s stored plan, not from the one in its headers', async () => {
    const { userId, chat, headers, remove } = await keyOf(solo)
    expect((await chat({ model: 'openai/gpt-4-turbo' })).status).toBe(403)
    expect((await chat({ model: 'openai/gpt-4o' })).status).toBe(200)
    expect(await eventsOf(db.table, userId)).toEqual([
      expect.objectContaining({ userId, agentId: null }),
    ])
    expect(await listed(await gateway.models({ headers }))).toEqual(['openai/gpt-4o'])
    await remove()
    expect((await chat()).status).toBe(401)
  })

  it.each<[Owner, number, string]>([
    [{ plan: 'free', status: 'active' }, 402, 'PLAN_REQUIRED'],
    [{ plan: 'solo', status: 'inactive' }, 402, 'SUBSCRIPTION_REQUIRED'],
  ])('the key of a user with %j is rejected', async (owner, status, code) => {
    const { chat } = await keyOf(owner)
    const answer = await chat()
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { code } })
  })

  it('the key of an admin is unlimited', async () => {
    const { chat } = await keyOf({ plan: 'free', status: 'inactive', email: adminEmail })
    expect((await chat()).status).toBe(200)
  })
})

describe('the platform’s key', () => {
  it('acts as anonymous if it names no user', async () => {
    expect((await gateway.chat(hello, { headers: { 'x-user-id': undefined } })).status).toBe(200)
    expect(await eventsOf(db.table, 'anonymous')).toEqual([
      expect.objectContaining({ userId: 'anonymous', agentId: null }),
    ])
  })

  it.each(['@platform', 'a#b', ' ', '../x'])('rejects %j as a user', async (id) => {
    const answer = await gateway.chat(hello, { headers: { 'x-user-id': id } })
    expect(answer.status).toBe(id === ' ' ? 200 : 400)
  })

  it('accepts a model only by its full name', async () => {
    const answer = await gateway.chat({ ...hello, model: 'gpt-4' })
    expect(answer.status).toBe(403)
  })
})

describe('the models of a caller', () => {
  it('are the models of the plan that their provider still lists', async () => {
    const answer = await gateway.models()
    expect(await answer.json()).toEqual({
      object: 'list',
      data: [['openai/gpt-4o', 7]].map(([id, created]) => ({
        id,
        object: 'model',
        created,
        owned_by: String(id).split('/')[0],
      })),
    })
  })

  it('have a creation time in numbers, which is 0 if unknown', async () => {
    const headers = { 'x-user-plan': 'network' }
    const { data } = modelList.parse(await (await gateway.models({ headers })).json())
    expect(data.find(({ id }) => id === 'acme/timeless')).toMatchObject({ created: 0 })
    const one = await gateway.ask('GET', '/v1/models/acme/timeless', { headers })
    expect(await one.json()).toMatchObject({ created: 0 })
    expect(data.find(({ id }) => id === 'acme/listed')).toMatchObject({ created: 1_650_000_000 })
  })

  it('are all listed models for the plan network', async () => {
    const answer = await gateway.models({ headers: { 'x-user-plan': 'network' } })
    const ids = await listed(answer)
    expect(ids).toContain('acme/listed')
    expect(ids).not.toContain('openai/gpt-4-turbo')
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it.each([
    [{ 'x-user-plan': 'free' }, 402],
    [{ authorization: undefined }, 401],
  ])('are rejected for %j', async (headers, status) => {
    const answer = await gateway.models({ headers })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } })
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import { ownKeyPlace } from '#shared/ai/gateway/providers/own-keys.ts'
import { monthOf, nextMonth } from '#shared/ai/usage/month.ts'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { modelSetsOf } from '#shared/money/plans/model-sets.ts'
import { sealer } from '#shared/platform/seal.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { adminEmail, encryptionKey, startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'
import { before } from '#tests/support/platform/recorded-table.ts'

fromMidMonth()

let usage: Usage

beforeAll(async () => {
  usage = await startUsage()
})
afterAll(() => usage.close())

const path = '/api/billing'
const newUser = (email = `billing-${randomUUID()}@b.co`) => usage.signUp(email)

const profileOf = (userId: string) => ({ pk: userPartition(userId), sk: profileKey })
const read = async (userId: string) => usage.table.get(profileOf(userId))
const give = (userId: string, set: Record<string, unknown>) =>
  usage.table.update(profileOf(userId), { set })

const see = async (session: string) => (await usage.web('GET', path, { session }))[1]
const act = (session: string, body: unknown, process: Pick<Usage, 'web'> = usage) =>
  process.web('POST', path, { session, body })

const apiKey = 'sk-proj-the-users-own-key-0123456789'
const enable = { action: 'enable-byok', provider: 'openai', apiKey }
const resetsAt = nextMonth(Date.now()).toISOString()

describe('GET /api/billing', () => {
  it('returns the offers, without purchases for a new user', async () => {
    const { session } = await newUser()
    const body = await see(session)
    expect(body).toEqual({
      plans: expect.any(Array),
      currentPlan: 'free',
      subscriptionStatus: 'inactive',
      trial: null,
      storageGb: 0,
      byokEnabled: false,
      usage: { used: 0, quota: 0, remaining: 0, resetsAt },
      awakeAgents: { current: 0, limit: null },
    })
    const offered = body.plans as Record<string, unknown>[]
    expect(offered.map(({ name, price, currency }) => [name, price, currency])).toEqual([
      ['label', 29, 'GBP'],
      ['solo', 79, 'GBP'],
      ['collective', 199, 'GBP'],
      ['network', 499, 'GBP'],
    ])
    expect(offered[1]).toMatchObject({
      limits: {
        agents: 3,
        awakeAgents: 3,
        skills: 10,
        dailyMessages: 500,
        storageGb: 5,
        monthlyTokens: 2_000_000,
      },
      models: modelSetsOf({}).plans.solo,
    })
    expect(offered[3]).toMatchObject({ limits: { monthlyTokens: null }, models: null })
  })

  it('returns the remaining tokens of a subscriber’s month', async () => {
    const { id, session } = await newUser()
    await give(id, { plan: 'solo', subscription: { id: 's', status: 'active', customerId: null } })
    await usage.table.put({ ...quotaKey(id, monthOf(Date.now())), used: 500_000 })
    const left = { used: 500_000, quota: 2_000_000, remaining: 1_500_000, resetsAt }
    expect(await see(session)).toMatchObject({
      currentPlan: 'solo',
      subscriptionStatus: 'active',
      usage: left,
    })
    expect(await act(session, { action: 'get-usage' })).toEqual([200, { usage: left }])
    await usage.table.put({ ...quotaKey(id, monthOf(Date.now())), used: 2_000_500 })
    expect((await see(session)).usage).toMatchObject({ used: 2_000_500, remaining: 0 })
    await give(id, { plan: 'network' })
    expect((await see(session)).usage).toMatchObject({ quota: null, remaining: null })
  })

  it('returns no limit for an administrator', async () => {
    const { id, session } = await newUser(adminEmail)
    await give(id, { emailVerified: true })
    expect((await see(session)).usage).toMatchObject({ quota: null, remaining: null })
  })
})

describe('a user’s own provider key', () => {
  it('is sealed for its user and provider, and never returned or logged', async () => {
    const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
    const { id, session } = await newUser()
    const answers = [await act(session, enable), await see(session)]
    const log = JSON.stringify(lines.mock.calls)
    lines.mockRestore()
    expect(answers[0]).toEqual([200, { success: true, byokEnabled: true }])
    expect(answers[1]).toMatchObject({ byokEnabled: true })
    const row = await read(id)
    const { openai } = (row?.byok ?? {}) as Record<string, string>
    const seals = sealer(encryptionKey)
    expect(await seals.open(String(openai), ownKeyPlace(id, 'openai'))).toBe(apiKey)
    expect(await seals.open(String(openai), ownKeyPlace('usr_other', 'openai'))).toBeUndefined()
    const settings = await (await usage.call('GET', '/api/settings', { session })).text()
    expect(log).toContain(path)
    expect(JSON.stringify([answers, row]) + settings + log).not.toContain(apiKey)
    expect(settings).not.toContain('byok')
  })

  it('replaces the earlier one, and can be deleted', async () => {
    const { id, session } = await newUser()
    const byok = async () => (await read(id))?.byok as Record<string, string> | undefined
    await act(session, enable)
    const first = await byok()
    await act(session, { ...enable, apiKey: `${apiKey}-2` })
    await act(session, { ...enable, provider: 'house-made' })
    const both = (await byok()) ?? {}
    expect(Object.keys(both).sort()).toEqual(['house-made', 'openai'])
    expect(both.openai).not.toBe(first?.openai)
    const off = { action: 'disable-byok' }
    expect(await act(session, { ...off, provider: 'openai' })).toEqual([
      200,
      { success: true, byokEnabled: true },
    ])
    expect(Object.keys((await byok()) ?? {})).toEqual(['house-made'])
    await act(session, enable)
    const none = [200, { success: true, byokEnabled: false }]
    expect(await act(session, off)).toEqual(none)
    expect(await byok()).toBeUndefined()
    expect(await act(session, off)).toEqual(none)
    expect(await act(session, { ...off, provider: 'never-had' })).toEqual(none)
  })

  it('is kept under concurrent requests', async () => {
    const { id, session } = await newUser()
    const providers = ['openai', 'anthropic', 'openrouter', 'house-made']
    await Promise.all(providers.map((provider) => act(session, { ...enable, provider })))
    expect(Object.keys((await read(id))?.byok as object).sort()).toEqual([...providers].sort())
  })

  it('is stored for the caller, even if the request names another user', async () => {
    const [mine, theirs] = [await newUser(), await newUser()]
    await usage.web('POST', path, {
      session: mine.session,
      body: { ...enable, userId: theirs.id },
      headers: { 'x-user-id': theirs.id },
    })
    expect((await read(theirs.id))?.byok).toBeUndefined()
    expect((await see(theirs.session)).byokEnabled).toBe(false)
  })

  it('is not stored if the session ended in the meantime', async () => {
    const { id, session } = await newUser()
    const table = before(usage.table, async (name) => {
      if (name === 'transact') await usage.table.update(profileOf(id), { add: { accessEpoch: 1 } })
    })
    expect((await act(session, enable, usage.startProcess({ table })))[0]).toBe(401)
    expect((await read(id))?.byok).toBeUndefined()
  })

  it('is rejected if no encryption key is configured', async () => {
    const { id, session } = await newUser()
    const bare = usage.startProcess({ encryptionKey: undefined })
    expect(await act(session, enable, bare)).toEqual([
      503,
      { error: 'Using your own key is not configured', missing: ['WALLET_ENCRYPTION_KEY'] },
    ])
    expect((await read(id))?.byok).toBeUndefined()
  })
})

describe('a checkout', () => {
  it.each([
    { action: 'create-checkout', plan: 'solo' },
    { action: 'buy-credits', pack: '200' },
    { action: 'buy-credits', pack: 500 },
  ])('names the missing settings: %j', async (body) => {
    const { session } = await newUser()
    expect(await act(session, body)).toEqual([
      503,
      {
        error: 'Payments is not configured',
        missing: ['PAYMENTS_SECRET_KEY'],
      },
    ])
  })
})

describe('POST /api/billing rejects without effect', () => {
  it.each([
    ['no action', {}, /action must be one of/],
    ['another action', { action: 'cancel' }, /action must be one of/],
    ['an inherited action', { action: 'constructor' }, /action must be one of/],
    ['a checkout without a plan', { action: 'create-checkout' }, /plan must be one of/],
    [
      'a checkout of the free plan',
      { action: 'create-checkout', plan: 'free' },
      /plan must be one of/,
    ],
    ['no pack', { action: 'buy-credits' }, /pack must be one of/],
    ['another pack', { action: 'buy-credits', pack: 51 }, /pack must be one of/],
    ['a list of packs', { action: 'buy-credits', pack: [50] }, /pack must be one of/],
    ['no provider', { action: 'enable-byok', apiKey }, /provider required/],
    ['an unknown provider', { ...enable, provider: 'evil' }, /provider must be one of openai/],
    ['an inherited provider', { ...enable, provider: '__proto__' }, /provider must be one of/],
    ['an address as provider', { ...enable, provider: 'http://169.254.169.254' }, /provider must/],
    ['no key', { action: 'enable-byok', provider: 'openai' }, /apiKey required/],
    ['a short key', { ...enable, apiKey: 'abc' }, /apiKey/],
    ['a long key', { ...enable, apiKey: 'a'.repeat(513) }, /apiKey/],
    ['a key with a header in it', { ...enable, apiKey: `${apiKey}\r\nX-Y: 1` }, /apiKey/],
    ['a key that is not ASCII', { ...enable, apiKey: 'пароль-пароль' }, /apiKey/],
  ])('%s', async (_, body, message) => {
    const { id, session } = await newUser()
    const earlier = await read(id)
    const [status, answer] = await act(session, body)
    expect([status, answer]).toEqual([400, { error: expect.stringMatching(message) }])
    expect(answer.error).not.toContain(apiKey)
    expect(await read(id)).toEqual(earlier)
  })

  it('a request without a session, and one from another site', async () => {
    const { id, session } = await newUser()
    expect((await usage.web('POST', path, { body: enable }))[0]).toBe(401)
    expect((await usage.web('GET', path))[0]).toBe(401)
    const headers = { origin: 'https://evil.example' }
    const [status, body] = await usage.web('POST', path, { session, body: enable, headers })
    expect([status, body.code]).toEqual([403, 'CSRF'])
    expect((await read(id))?.byok).toBeUndefined()
  })
})

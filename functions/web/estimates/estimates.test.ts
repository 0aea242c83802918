import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listPrice } from '#shared/ai/gateway/cost.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { type Accounts, startAccounts } from '#tests/support/accounts/accounts.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { recordCompletion } from '#tests/support/ai/recorded-completions.ts'
import { callerOf, type UserCall } from '#tests/support/http/caller.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'
import * as group from '../estimates.ts'

const model = 'meta-llama/llama-3.3-70b-instruct'
const price = listPrice(model)!

let accounts: Accounts
let ada: { id: string; session: string }
let call: ReturnType<typeof callerOf>
let users = 0

beforeAll(async () => {
  accounts = await startAccounts()
  const config = loadConfig({ AI_BASE_URL: 'http://127.0.0.1:1/v1', AI_API_KEY: 'key' })
  const providers = createProviders(config)
  const catalogue = describeCatalogue(providers)
  call = callerOf(group, { table: accounts.table, providers, catalogue, planCaps: {} })
})
afterAll(() => accounts.close())
beforeEach(async () => {
  ada = await accounts.signUp(`estimates${users++}@b.co`)
})

async function ask(path: string, body: unknown, session = ada.session) {
  const answer = await call('POST', path, { body, session })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

describe('POST /api/estimate', () => {
  it('returns the cost of a call and a month, between one token and the most', async () => {
    await accounts.call('PATCH', '/api/settings', {
      session: ada.session,
      body: { spendCapUsd: 12.5 },
    })
    const request = { model, prompt: 'x'.repeat(3000), maxTokens: 1000, runsPerDay: 10 }
    const { session } = ada
    const body = await platformOver(call, { session }).estimates.estimate(request)
    const { inputTokens } = body
    expect(inputTokens).toBeGreaterThanOrEqual(1000)
    const low = (inputTokens * price.input + price.output) / 1e6
    const high = (inputTokens * price.input + 1000 * price.output) / 1e6
    expect(body).toMatchObject({ model, currency: 'USD', capRemaining: 12.5, quotaRemaining: 0 })
    expect(body.low).toBeCloseTo(low, 11)
    expect(body.high).toBeCloseTo(high, 11)
    expect(body.perMonth?.low).toBeCloseTo(low * 300, 8)
    expect(body.perMonth?.high).toBeCloseTo(high * 300, 8)
  })

  it.each([
    ['an empty part', [null]],
    ['a part without a type', [{ text: 'Hi' }]],
    ['a part nested 100 deep', JSON.parse('['.repeat(100) + ']'.repeat(100))],
  ])('rejects what the gateway rejects: %s', async (_, content) => {
    const { status, body } = await ask('/api/estimate', {
      model,
      messages: [{ role: 'user', content }],
    })
    expect(status).toBe(400)
    expect(body.error).toMatch(/type must be|nested more than 64 deep/)
  })

  it('uses the model of the caller’s agent, and at most 4,096 tokens by default', async () => {
    const agent = await putAgent(accounts.table, ada.id, { model })
    const { body } = await ask('/api/estimate', { agentId: agent.id })
    expect(body).toMatchObject({ model, inputTokens: 0, perMonth: null, capRemaining: null })
    expect(body.high).toBeCloseTo((4096 * price.output) / 1e6, 11)
    const eve = await accounts.signUp(`estimates${users++}@b.co`)
    expect((await ask('/api/estimate', { agentId: agent.id }, eve.session)).status).toBe(404)
    expect((await ask('/api/estimate', { agentId: agent.id, model }, eve.session)).status).toBe(404)
  })

  it('returns the rest of the cap with the least left: of a day or a month, a user, an agent or a key', async () => {
    const { table } = accounts
    const remaining = async (body: object, how: UserCall = { session: ada.session }) => {
      const answer = await call('POST', '/api/estimate', { ...how, body: { model, ...body } })
      return ((await answer.json()) as { capRemaining: number | null }).capRemaining
    }
    const cap = (body: object) =>
      accounts.call('PATCH', '/api/settings', { session: ada.session, body })
    const agent = await putAgent(table, ada.id, { config: { spendCapUsdPerDay: 1 } })
    const limited = await keyHolder(table, solo, { userId: ada.id, limits: { usdPerMonth: 0.5 } })
    const { keyId } = limited
    await recordCompletion(table, { userId: ada.id, costUsd: 0.25, agentId: agent.id })
    await recordCompletion(table, { userId: ada.id, costUsd: 0.125, keyId })
    expect(await remaining({})).toBe(null)
    expect(await remaining({ agentId: agent.id })).toBe(0.75)
    expect(await remaining({}, { headers: limited.headers })).toBe(0.375)
    await cap({ spendCapUsd: 10, spendCapUsdPerDay: 0.5 })
    expect(await remaining({})).toBe(0.125)
    expect(await remaining({ agentId: agent.id }, { headers: limited.headers })).toBe(0.125)
    await cap({ spendCapUsdPerDay: 0.1 })
    expect(await remaining({})).toBe(0)
  })

  it.each([
    {},
    { prompt: 'hello' },
    { model, prompt: 7 },
    { model, messages: 'hello' },
    { model, prompt: 'a', messages: [] },
    { model, maxTokens: 0 },
    { model, maxTokens: 1.5 },
    { model, runsPerDay: -1 },
  ])('returns 400 for %j', async (body) => {
    expect((await ask('/api/estimate', body)).status).toBe(400)
  })

  it('returns 404 for an unknown model, and 401 without a sign-in', async () => {
    const unknown = await ask('/api/estimate', { model: 'acme/none' })
    expect(unknown).toMatchObject({ status: 404, body: { code: 'MODEL_NOT_FOUND' } })
    for (const path of ['/api/estimate', '/api/usage/reprice'])
      expect((await call('POST', path, { body: { model, days: 1 } })).status).toBe(401)
  })
})

describe('POST /api/usage/reprice', () => {
  it('returns the cost of the caller’s own usage with another model', async () => {
    const eve = await accounts.signUp(`estimates${users++}@b.co`)
    const used = { userId: ada.id, inputTokens: 1000, outputTokens: 100 }
    await recordCompletion(accounts.table, { ...used, costUsd: 0.25 })
    await recordCompletion(accounts.table, { ...used, costUsd: 0.5 })
    await recordCompletion(accounts.table, { ...used, model: 'acme/none', costUsd: null })
    await recordCompletion(accounts.table, { ...used, userId: eve.id, costUsd: 9 })
    const { status, body } = await ask('/api/usage/reprice', { days: 2, model })
    expect(status).toBe(200)
    expect(body).toMatchObject({ actualUsd: 0.75, unpriced: 1 })
    const each = (1000 * price.input + 100 * price.output) / 1e6
    expect(body.wouldBeUsd).toBeCloseTo(3 * each, 11)
    expect(body.byModel).toMatchObject([
      { model: 'openai/gpt-4o', turns: 2, inputTokens: 2000, outputTokens: 200, actualUsd: 0.75 },
      { model: 'acme/none', turns: 1, actualUsd: null },
    ])
  })

  it('prices cached tokens as the model does, and returns them and reasoning tokens', async () => {
    const cached = 'anthropic/claude-sonnet-4.5'
    const { input, output, cacheRead, cacheWrite } = listPrice(cached)!
    if (cacheRead === undefined || cacheWrite === undefined) throw new Error('no price of a cache')
    await recordCompletion(accounts.table, {
      userId: ada.id,
      inputTokens: 1000,
      outputTokens: 100,
      cacheReadTokens: 600,
      cacheWriteTokens: 300,
      reasoningTokens: 40,
      costUsd: 0.25,
    })
    const { body } = await ask('/api/usage/reprice', { days: 2, model: cached })
    expect(body.byModel).toMatchObject([
      { inputTokens: 1000, cacheReadTokens: 600, cacheWriteTokens: 300, reasoningTokens: 40 },
    ])
    const cost = (100 * input + 600 * cacheRead + 300 * cacheWrite + 100 * output) / 1e6
    expect(body.wouldBeUsd).toBeCloseTo(cost, 11)
  })

  it('returns 0 without usage', async () => {
    const { body } = await ask('/api/usage/reprice', { days: 30, model })
    expect(body).toEqual({ actualUsd: 0, wouldBeUsd: 0, byModel: [], unpriced: 0 })
  })

  it.each([{}, { model }, { days: 0, model }, { days: 366, model }, { days: 1 }])(
    'returns 400 for the body %j',
    async (body) => {
      expect((await ask('/api/usage/reprice', body)).status).toBe(400)
    },
  )
})

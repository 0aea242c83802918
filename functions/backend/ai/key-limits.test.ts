import { describe, expect, it } from 'vitest'
import { spendKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { dayOf } from '#shared/platform/days.ts'
import type { KeyLimits } from '#shared/platform/identity/actor.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { hello, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
/** 1,000 tokens in and 100 out at $2.50 and $10 a million. */
const costs = 0.0035

const on = useGateway()
const served = () => on.upstream.serve(model, says('x', usage(1000, 100)))

const limited = (limits: KeyLimits | undefined, owner = solo) =>
  keyHolder(on.table, owner, { limits })

type Headers = Record<string, string>

const ask = (headers: Headers, body: object = {}) =>
  on.gateway.chat({ ...hello, model, ...body }, { headers })

const month = () => dayOf(Date.now()).slice(0, 7)

async function spentBy(userId: string, keyId: string, period = dayOf(Date.now())) {
  return toQuota(await on.table.get(spendKey(userId, keyId, period))).microUsd
}

describe('a spend limit of a key', () => {
  it.each([
    ['usdPerDay', 'Daily', () => Date.parse(dayOf(Date.now())) + 86_400_000],
    [
      'usdPerMonth',
      'Monthly',
      () => Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1),
    ],
  ] as const)(
    '%s refuses calls once it is spent, until the period ends',
    async (name, word, end) => {
      served()
      const { headers, userId, keyId } = await limited({ [name]: 2 * costs })
      for (let i = 0; i < 2; i++) expect((await ask(headers)).status).toBe(200)
      const refused = await ask(headers)
      expect(refused.status).toBe(429)
      const resetsAt = new Date(end()).toISOString()
      expect(await refused.json()).toEqual({
        error: {
          message: `${word} spend cap of the API key reached: $0.007 of $0.007 spent. The cap resets at ${resetsAt}.`,
          type: 'rate_limit_error',
          param: null,
          code: 'SPEND_CAP_REACHED',
          of: 'key',
          spentUsd: 0.007,
          capUsd: 0.007,
          resetsAt,
        },
      })
      const seconds = Number(refused.headers.get('retry-after'))
      expect(Math.abs(end() - Date.now() - seconds * 1000)).toBeLessThan(10_000)
      const period = name === 'usdPerDay' ? undefined : month()
      expect(await spentBy(userId, keyId, period)).toMatchObject({ used: 7000, committed: 7000 })
    },
  )

  it('stops neither other keys of the user nor the platform', async () => {
    served()
    const { headers, userId } = await limited({ usdPerDay: 0 })
    expect((await ask(headers)).status).toBe(429)
    const other = await keyHolder(on.table, solo, { userId })
    expect((await ask(other.headers)).status).toBe(200)
    expect((await ask({ 'x-user-id': userId })).status).toBe(200)
  })

  it('counts what the key spent before the limit was set', async () => {
    served()
    const { headers, change } = await limited(undefined)
    expect((await ask(headers)).status).toBe(200)
    await change({ usdPerDay: costs })
    expect((await ask(headers)).status).toBe(429)
    await change({ usdPerDay: 2 * costs })
    expect((await ask(headers)).status).toBe(200)
    expect((await ask(headers)).status).toBe(429)
    await change(undefined)
    expect((await ask(headers)).status).toBe(200)
  })

  it('is exact under twenty concurrent calls', async () => {
    served()
    const { headers, userId, keyId } = await limited({ usdPerDay: 0.1, usdPerMonth: 5 })
    // Each call holds the cost of its longest answer, $0.01 and the prompt.
    const body = { max_tokens: 1000 }
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(headers, body)))
    const statuses = answers.map(({ status }) => status).sort()
    const good = statuses.filter((status) => status === 200).length
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(good).toBeGreaterThanOrEqual(9)
    expect(good).toBeLessThanOrEqual(10)
    const spent = { used: good * 3500, committed: good * 3500 }
    expect(await spentBy(userId, keyId)).toMatchObject(spent)
    expect(await spentBy(userId, keyId, month())).toMatchObject(spent)
  })

  it('is not reduced by a call that no model answered', async () => {
    on.upstream.serve(model, fails(500))
    const { headers, userId, keyId } = await limited({ usdPerDay: 1 })
    expect((await ask(headers)).status).toBe(502)
    expect(await spentBy(userId, keyId)).toMatchObject({ used: 0, committed: 0 })
  })

  it('has rows that expire a month after their period', async () => {
    served()
    const { headers, userId, keyId } = await limited({ usdPerDay: 1 })
    await ask(headers)
    const today = dayOf(Date.now())
    const row = await on.table.get(spendKey(userId, keyId, today))
    expect(row?.expiresAt).toBe(Date.parse(today) / 1000 + 32 * 86_400)
  })
})

describe('the models of a key', () => {
  const mini = 'openai/gpt-4o-mini'

  it('are the only ones that it can name and list', async () => {
    served()
    on.upstream.serve(mini, says('x', usage(1, 1)))
    const { headers } = await limited({ models: [mini] })
    const refused = await ask(headers)
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        error: expect.objectContaining({
          message: `The model ${model} is not a model of the API key`,
          code: 'MODEL_RESTRICTED',
          allowedModels: [mini],
          param: 'model',
        }),
      },
    ])
    expect((await ask(headers, { model: mini })).status).toBe(200)
    const one = (id: string) => on.gateway.ask('GET', `/v1/models/${id}`, { headers })
    expect((await one(mini)).status).toBe(200)
    expect((await one(model)).status).toBe(403)
    const { data } = (await (await on.gateway.models({ headers })).json()) as {
      data: { id: string }[]
    }
    expect(data.map(({ id }) => id)).toEqual([mini])
  })

  it('do not add models to the plan', async () => {
    const { headers } = await limited({ models: ['openai/o3-pro'] })
    for (const asked of ['openai/o3-pro', 'auto']) {
      const refused = await ask(headers, { model: asked })
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject({
        error: { code: 'MODEL_RESTRICTED', allowedModels: [] },
      })
    }
  })

  it('include every fallback, and the choice of auto', async () => {
    on.upstream.serve(mini, fails(500))
    served()
    const only = await limited({ models: [mini] })
    expect((await ask(only.headers, { model: mini })).status).toBe(502)
    expect((await ask(only.headers, { model: 'auto' })).status).toBe(502)
    expect(new Set(on.upstream.asked.map(({ body }) => body.model))).toEqual(new Set([mini]))
    const both = await limited({ models: [mini, model] })
    expect((await ask(both.headers, { model: mini })).status).toBe(200)
  })

  it('can be named as their vendor names them', async () => {
    served()
    const { headers } = await limited({ models: ['gpt-4o'] })
    expect((await ask(headers)).status).toBe(200)
    expect((await ask(headers, { model: 'gpt-4o' })).status).toBe(200)
  })
})

describe('the requests per minute of a key', () => {
  it('count every model call of this key, and no other request', async () => {
    served()
    on.gateway = startGateway(on.table, { AI_BASE_URL: on.upstream.baseUrl, RATE_LIMITS: 'on' })
    const { headers, userId } = await limited({ requestsPerMinute: 3 })
    for (let i = 0; i < 5; i++) expect((await on.gateway.models({ headers })).status).toBe(200)
    expect((await ask(headers)).status).toBe(200)
    expect((await on.gateway.aiChat({ ...hello, model }, { headers })).status).toBe(200)
    expect((await ask(headers, { messages: 'invalid' })).status).toBe(400)
    const refused = await ask(headers)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.objectContaining({ code: 'RATE_LIMITED', type: 'rate_limit_error' }) },
    ])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await on.gateway.models({ headers })).status).toBe(200)
    const other = await keyHolder(on.table, solo, { userId, limits: { requestsPerMinute: 3 } })
    expect((await ask(other.headers)).status).toBe(200)
  })
})

import { describe, expect, it } from 'vitest'
import { spendKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { dayOf } from '#shared/platform/days.ts'
import { keyHolder } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const on = useGateway()
const model = 'perplexity/sonar-pro-search'
/** USD per call, and USD of 2 tokens in and 10 out at $3 and $15 a million. */
const [fee, tokens] = [0.018, 0.000156]
const pricing = { prompt: '0.000003', completion: '0.000015', request: String(fee) }
const network = { plan: 'network', status: 'active' } as const

// Without a fallback, whose price is another one.
const caller = (limits?: { usdPerDay: number }) =>
  keyHolder(on.table, network, { limits: { models: [model], ...limits } })

const ask = (headers: Record<string, string>) =>
  on.gateway.chat({ ...hello, model, max_tokens: 10 }, { headers })

describe('a model with a price per call', () => {
  it('costs that price in addition to its tokens', async () => {
    on.upstream.list([{ id: model, pricing }])
    on.upstream.serve(model, says('x', usage(2, 10)))
    const { headers, userId } = await caller()
    expect((await ask(headers)).status).toBe(200)
    const [event] = await eventsOf(on.table, userId)
    expect(event?.costUsd).toBeCloseTo(fee + tokens, 12)
  })

  it('costs what its provider reports', async () => {
    on.upstream.list([{ id: model, pricing }])
    on.upstream.serve(model, says('x', { ...usage(2, 10), cost: 0.02 }))
    const { headers, userId } = await caller()
    await ask(headers)
    expect(await eventsOf(on.table, userId)).toMatchObject([{ costUsd: 0.02 }])
  })

  it('holds that price under a limit, exactly under twenty concurrent calls', async () => {
    on.upstream.list([{ id: model, pricing }])
    on.upstream.serve(model, says('x', usage(2, 10)))
    const limit = 5 * (fee + tokens)
    const { headers, userId, keyId } = await caller({ usdPerDay: limit })
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(headers)))
    const good = answers.filter(({ status }) => status === 200).length
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    // A call begins while any part of the limit is left.
    expect(good).toBeLessThanOrEqual(6)
    const row = toQuota(await on.table.get(spendKey(userId, keyId, dayOf(Date.now())))).microUsd
    expect(row.used).toBe(row.committed)
    expect(row.used).toBeLessThanOrEqual((limit + fee + tokens) * 1e6)
  })

  it('is refused under a limit if its price per call cannot be read', async () => {
    on.upstream.list([{ id: model, pricing: { ...pricing, request: '-1' } }])
    const { headers } = await caller({ usdPerDay: 1 })
    const { status, body } = await ask(headers).then(async (answer) => ({
      status: answer.status,
      body: await answer.json(),
    }))
    expect([status, body]).toMatchObject([403, { error: { code: 'MODEL_UNPRICED' } }])
  })
})

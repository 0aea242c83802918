import { describe, expect, it } from 'vitest'
import { routingHeader } from '#shared/ai/gateway/routing/combine.ts'
import { quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import type { Routing } from '#shared/platform/model-routing.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, quotaOf } from '#tests/support/ai/gateway.ts'
import {
  providerNames,
  question,
  sharedModel,
  useSharedModel,
  withRouting,
} from '#tests/support/ai/shared-model.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const month = new Date().toISOString().slice(0, 7)
const on = useSharedModel()

describe('a request', () => {
  it('asks the routing provider first, and then the others as configured', async () => {
    for (const name of providerNames) on.plays(name, fails(500))
    expect((await on.gateway.chat(question())).status).toBe(502)
    expect(on.asked).toEqual(providerNames)
  })

  it('can name the order of providers', async () => {
    for (const name of providerNames) on.plays(name, fails(500))
    const headers = withRouting({ order: ['unknown', 'groq', 'router'] })
    expect((await on.gateway.chat(question(), { headers })).status).toBe(502)
    expect(on.asked).toEqual(['groq', 'router', 'azure'])
  })

  it('finds the names of the providers at the model', async () => {
    const answer = await on.gateway.ask('GET', `/v1/models/${sharedModel}`)
    expect(await answer.json()).toMatchObject({ id: sharedModel, providers: providerNames })
  })

  it('is recorded with the provider that served', async () => {
    const { userId, headers } = await keyHolder(on.table, solo)
    await on.gateway.chat(question(), {
      headers: { ...headers, ...withRouting({ order: ['groq'] }) },
    })
    expect(await eventsOf(on.table, userId)).toEqual([
      expect.objectContaining({ model: sharedModel, provider: 'groq', costUsd: 0.0003 }),
    ])
  })

  it('can divide its sessions by weights', async () => {
    const routing = withRouting({ weights: { azure: 3, groq: 1 } })
    for (let i = 0; i < 40; i++) await on.providerOf({ ...routing, 'x-session-id': `session ${i}` })
    const share = on.asked.filter((name) => name === 'azure').length / on.asked.length
    expect(on.asked).not.toContain('router')
    expect(share).toBeGreaterThan(0.55)
    expect(share).toBeLessThan(0.95)
  })

  it.each([
    'not JSON',
    '{"order":[]}',
    '{"order":"groq"}',
    '{"weights":{"groq":-1}}',
    '{"sort":1}',
  ])(
    'a request with the invalid routing %s is refused with its name, and reserves nothing',
    async (header) => {
      const { userId, headers } = await keyHolder(on.table, solo)
      const answer = await on.gateway.chat(question(), {
        headers: { ...headers, [routingHeader]: header },
      })
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { error: { message: expect.stringMatching(/^x-routing/) as string } },
      ])
      expect(await quotaOf(on.table, userId)).toBeUndefined()
      expect(on.asked).toEqual([])
    },
  )

  it('names the invalid field', async () => {
    const answer = await on.gateway.chat(question(), {
      headers: { [routingHeader]: '{"maxPriceUsd":{"output":"cheap"}}' },
    })
    expect(await answer.json()).toMatchObject({ error: { param: 'x-routing.maxPriceUsd.output' } })
  })
})

describe('a session', () => {
  const routing = withRouting({ weights: { router: 1, azure: 1, groq: 1 } })

  it('stays with its provider in every process, by header or by the first messages', async () => {
    for (let i = 0; i < 8; i++) {
      on.startGateway()
      const named = { ...routing, 'x-session-id': `session ${i}` }
      const first = await on.providerOf(named, 'one')
      const second = await on.providerOf(routing, `conversation ${i}`)
      on.startGateway()
      expect(await on.providerOf(named, 'two')).toBe(first)
      const next = { role: 'user', content: 'next' }
      const { messages, ...rest } = question(`conversation ${i}`)
      await on.gateway.aiChat({ ...rest, messages: [...messages, next] }, { headers: routing })
      expect(on.asked.at(-1)).toBe(second)
    }
    expect(new Set(on.asked)).toEqual(new Set(providerNames))
  })

  it.each<[string, object]>([
    ['session_id', { session_id: 'a' }],
    ['prompt_cache_key', { prompt_cache_key: 'a' }],
  ])('can be named by the field %s', async (_, fields) => {
    for (let i = 0; i < 6; i++)
      await on.gateway.chat({ ...question(`${i}`), ...fields }, { headers: routing })
    expect(new Set(on.asked).size).toBe(1)
  })

  it('can be named by the user of Messages and the cache key of Responses', async () => {
    const messages = { max_tokens: 10, metadata: { user_id: 'user_1_session_2' } }
    for (let i = 0; i < 6; i++)
      await on.gateway.messages({ ...question(`${i}`), ...messages }, { headers: routing })
    expect(new Set(on.asked).size).toBe(1)
    on.asked = []
    for (let i = 0; i < 6; i++)
      await on.gateway.responses(
        { model: sharedModel, input: `${i}`, prompt_cache_key: 'session 2' },
        { headers: routing },
      )
    expect(on.asked).toHaveLength(6)
    expect(new Set(on.asked).size).toBe(1)
  })
})

describe('a highest price', () => {
  it('leaves out providers that cost more', async () => {
    for (const name of providerNames) on.plays(name, fails(500))
    const headers = withRouting({ order: ['groq'], maxPriceUsd: { output: 10 } })
    await on.gateway.chat(question(), { headers })
    expect(on.asked).toEqual(['router', 'azure'])
  })

  it('a highest price below every price is refused with the lowest price, and reserves nothing', async () => {
    const { userId, headers } = await keyHolder(on.table, solo)
    const answer = await on.gateway.chat(question(), {
      headers: { ...headers, ...withRouting({ maxPriceUsd: { output: 7 } }) },
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'MODEL_TOO_EXPENSIVE',
        param: 'maxPriceUsd',
        cheapest: { model: sharedModel, provider: 'azure', priceUsd: { input: 2, output: 8 } },
      },
    })
    expect(await quotaOf(on.table, userId)).toBeUndefined()
    expect(on.asked).toEqual([])
  })

  it('the highest price of a request cannot raise the highest price of its key', async () => {
    const { headers } = await keyHolder(on.table, solo, {
      limits: { routing: { maxPriceUsd: { output: 9 } } },
    })
    const asks = { ...headers, ...withRouting({ order: ['groq'], maxPriceUsd: { output: 100 } }) }
    expect(await on.providerOf(asks)).toBe('azure')
  })

  it('keeps the requested model, although another one is cheaper', async () => {
    on.plays('azure', fails(500))
    const headers = withRouting({ maxPriceUsd: { output: 1 } })
    expect((await on.gateway.chat(question(), { headers })).status).toBe(400)
  })
})

describe('the routing of a key and a plan', () => {
  const planRouting = { solo: { order: ['groq'] } }

  it('applies to its calls; the request comes before the key, and the key before the plan', async () => {
    on.startGateway({ planRouting })
    const { userId, headers } = await keyHolder(on.table, solo, {
      limits: { routing: { order: ['azure'] } },
    })
    const other = await keyHolder(on.table, solo, { userId })
    expect(await on.providerOf(other.headers)).toBe('groq')
    expect(await on.providerOf(headers)).toBe('azure')
    expect(await on.providerOf({ ...headers, ...withRouting({ order: ['router'] }) })).toBe(
      'router',
    )
  })

  it('the routing of a plan applies to agents of its users', async () => {
    on.startGateway({ planRouting })
    const { headers } = await agentCaller(on.table, solo)
    await on.gateway.chat(question(), { headers })
    expect(on.asked).toEqual(['groq'])
  })
})

describe('a spend cap', () => {
  it.each<[string, Routing, number]>([
    // 1,000 tokens cost $0.05 at groq, and $0.01 at the routing provider.
    ['even if it is tried last', { order: ['azure'] }, 50_000],
    ['within the highest price', { order: ['azure'], maxPriceUsd: { output: 10 } }, 10_000],
  ])('holds the price of the most expensive provider, %s', async (_, routing, microUsd) => {
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 1 })
    let held: unknown
    on.plays('azure', async (response, call) => {
      held = toQuota(await on.table.get(quotaKey(userId, month))).microUsd.committed
      await says('azure', usage(10, 5))(response, call)
    })
    const asks = { ...headers, ...withRouting(routing) }
    await on.gateway.chat({ ...question(), max_tokens: 1000 }, { headers: asks })
    expect(held).toBeGreaterThanOrEqual(microUsd)
    expect(held).toBeLessThan(microUsd * 1.1)
  })
})

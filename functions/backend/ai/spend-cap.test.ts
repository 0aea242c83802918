import { describe, expect, it } from 'vitest'
import { agentQuotaKey, quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { accountOf, agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, itemsOf, useGateway, startGateway } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
const month = new Date().toISOString().slice(0, 7)

const on = useGateway()

type Headers = Record<string, string>

const ask = (headers: Headers, body: object = {}) =>
  on.gateway.chat({ ...hello, model, ...body }, { headers })

async function spentBy(userId: string, agentId?: string) {
  const key =
    agentId === undefined ? quotaKey(userId, month) : agentQuotaKey(userId, agentId, month)
  return toQuota(await on.table.get(key)).microUsd
}

async function setCap(userId: string, cap: number | null) {
  const key = { pk: userPartition(userId), sk: 'profile' }
  await on.table.update(
    key,
    cap === null ? { remove: ['spendCapUsd'] } : { set: { spendCapUsd: cap } },
  )
}

/** 1,000 tokens in and 100 out at $2.50 and $10 a million. */
const costs = 0.0035
const served = () => on.upstream.serve(model, says('x', usage(1000, 100)))

describe('a user’s spend cap', () => {
  it('ends all calls of the month once it is spent, also the calls of agents and schedules', async () => {
    served()
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0.01 })
    for (let i = 0; i < 3; i++) expect((await ask(headers)).status).toBe(200)
    const internal = { 'x-user-id': userId }
    const answers = [
      await ask(headers),
      await ask(internal),
      await on.gateway.aiChat({ ...hello, model }, { headers: internal }),
    ]
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1))
    const details = { spentUsd: 0.0105, capUsd: 0.01, resetsAt: next.toISOString() }
    for (const answer of answers) {
      expect(answer.status).toBe(429)
      const seconds = Number(answer.headers.get('retry-after'))
      expect(Math.abs(next.getTime() - Date.now() - seconds * 1000)).toBeLessThan(10_000)
    }
    const [one, two, three] = await Promise.all(answers.map((answer) => answer.json()))
    const message = `Monthly spend cap of the user reached: $0.0105 of $0.01 spent. The cap resets at ${details.resetsAt}.`
    const error = { message, type: 'rate_limit_error', code: 'SPEND_CAP_REACHED', param: null }
    expect(one).toEqual({ error: { ...error, ...details } })
    expect(two).toEqual(one)
    expect(three).toEqual({ success: false, error: message, code: 'SPEND_CAP_REACHED', ...details })
    expect(on.upstream.asked).toHaveLength(3)
    expect(await spentBy(userId)).toMatchObject({ used: 10_500, committed: 10_500 })
  })

  it('counts earlier spending of the month, and blocks nothing once it is cleared', async () => {
    served()
    const { userId, headers } = await keyHolder(on.table, solo)
    for (let i = 0; i < 3; i++) expect((await ask(headers)).status).toBe(200)
    await setCap(userId, 2 * costs)
    expect((await ask(headers)).status).toBe(429)
    await setCap(userId, 3 * costs + 0.000_001)
    expect((await ask(headers)).status).toBe(200)
    await setCap(userId, null)
    expect((await ask(headers)).status).toBe(200)
  })

  it('a user’s spend cap of 0 blocks all calls, even free ones', async () => {
    const { headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0 })
    on.gateway = startGateway(on.table, { STAND_IN_PROVIDER_URL: on.upstream.baseUrl })
    on.upstream.serve('echo', says('x', usage(1000, 100)))
    const answer = await ask(headers, { model: 'auto' })
    expect(answer.status).toBe(429)
    expect(await answer.json()).toMatchObject({ error: { spentUsd: 0, capUsd: 0 } })
  })

  it('is not affected by the stand-in model, which is free', async () => {
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0.000_001 })
    on.gateway = startGateway(on.table, { STAND_IN_PROVIDER_URL: on.upstream.baseUrl })
    on.upstream.serve('echo', says('x', usage(1000, 100)))
    for (let i = 0; i < 3; i++) expect((await ask(headers, { model: 'auto' })).status).toBe(200)
    expect(await spentBy(userId)).toMatchObject({ used: 0, committed: 0 })
  })

  it('reserves the most expensive model that may answer, with its longest answer', async () => {
    const reservations: number[] = []
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 100 })
    on.upstream.serve('openai/gpt-4o-mini', async (response, asked) => {
      reservations.push((await spentBy(userId)).committed)
      return says('x', usage(1, 1))(response, asked)
    })
    // A fallback of gpt-4o-mini is gpt-4o, at $10 a million tokens of its answer.
    await ask(headers, { model: 'openai/gpt-4o-mini', max_tokens: 1_000_000 })
    await ask(headers, { model: 'openai/gpt-4o-mini', max_tokens: 100_000, n: 3 })
    await ask(headers, { model: 'openai/gpt-4o-mini' })
    expect(Math.floor((reservations[0] ?? 0) / 1_000_000)).toBe(10)
    expect(Math.floor((reservations[1] ?? 0) / 1_000_000)).toBe(3)
    expect(Math.floor((reservations[2] ?? 0) / 10_000)).toBe(16)
    expect(on.upstream.asked.at(-1)?.body.max_tokens).toBe(16_384)
    // 1 × $0.15 + 1 × $0.60 a million, rounded up to a millionth of a dollar.
    expect(await spentBy(userId)).toMatchObject({ used: 3, committed: 3 })
  })

  it('limits the answer’s length under a plan without a quota', async () => {
    served()
    const network = { plan: 'network', status: 'active' as const }
    const capped = await keyHolder(on.table, { ...network, spendCapUsd: 5 })
    const free = await keyHolder(on.table, network)
    await ask(capped.headers)
    await ask(free.headers)
    expect(on.upstream.asked.map(({ body }) => body.max_tokens)).toEqual([16_384, undefined])
    expect(await spentBy(capped.userId)).toMatchObject({ used: 3500, committed: 3500 })
    expect(await spentBy(free.userId)).toMatchObject({ used: 3500, committed: 3500 })
  })

  it('counts the cost that the provider reports', async () => {
    on.upstream.serve(model, says('x', usage(1000, 100, { cost: 0.25 })))
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0.3 })
    await ask(headers)
    expect((await spentBy(userId)).used).toBe(250_000)
  })

  it.each([1e300, 1e16, 1e-200, -1])('ignores an impossible cost: %d', async (cost) => {
    on.upstream.serve(model, says('x', { ...usage(1000, 100), cost }))
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 1 })
    expect((await ask(headers)).status).toBe(200)
    const counted = cost === 1e-200 ? 0 : 3500
    expect(await spentBy(userId)).toMatchObject({ used: counted, committed: counted })
    expect(await eventsOf(on.table, userId)).toMatchObject([{ costUsd: counted / 1e6 }])
  })

  it('releases the hold of a call that no model answered', async () => {
    on.upstream.serve(model, fails(500))
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 1 })
    expect((await ask(headers)).status).toBe(502)
    expect(await spentBy(userId)).toMatchObject({ used: 0, committed: 0 })
  })

  it('is checked before the quota', async () => {
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 1 })
    const full = { used: 2_000_000, committed: 2_000_000 }
    await on.table.put({ ...quotaKey(userId, month), ...full, committedMicroUsd: 1_000_000 })
    const both = await (await ask(headers)).json()
    expect(both).toMatchObject({ error: { code: 'SPEND_CAP_REACHED' } })
    await setCap(userId, 2)
    const quota = await (await ask(headers)).json()
    expect(quota).toMatchObject({ error: { code: 'QUOTA_EXCEEDED' } })
  })

  it('is exceeded by 200 concurrent calls by at most the cost of one', async () => {
    on.upstream.serve(model, says('x', usage(1000, 4000)))
    const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0.1 })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(headers, { max_tokens: 4096 })),
    )
    const statuses = answers.map(({ status }) => status)
    const ok = statuses.filter((status) => status === 200).length
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    const { used, committed } = await spentBy(userId)
    expect(used).toBe(ok * 42_500)
    expect(committed).toBe(used)
    expect(used).toBeLessThan(100_000 + 42_500)
    expect(on.upstream.asked).toHaveLength(ok)
  })
})

describe('an agent’s spend cap', () => {
  it('ends only the calls of that agent', async () => {
    served()
    const config = { spendCapUsd: 0.003 }
    const { userId, agentId, headers } = await agentCaller(on.table, solo, { config })
    expect((await ask(headers)).status).toBe(200)
    const refused = await ask(headers)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: {
        message: expect.stringContaining('spend cap of the agent'),
        code: 'SPEND_CAP_REACHED',
        spentUsd: 0.0035,
        capUsd: 0.003,
      },
    })
    expect((await ask({ 'x-user-id': userId ?? '' })).status).toBe(200)
    expect(await spentBy(userId ?? '', agentId)).toMatchObject({ used: 3500, committed: 3500 })
    expect(await spentBy(userId ?? '')).toMatchObject({ used: 7000, committed: 7000 })
  })

  it('applies in addition to its owner’s: either ends its calls, and a rejected call holds nothing', async () => {
    served()
    const config = { spendCapUsd: 1 }
    const owner = { ...solo, spendCapUsd: 0.003 }
    const { userId, agentId, headers } = await agentCaller(on.table, owner, { config })
    expect((await ask(headers)).status).toBe(200)
    expect(await (await ask(headers)).json()).toMatchObject({
      error: { code: 'SPEND_CAP_REACHED', capUsd: 0.003 },
    })
    for (const spent of [await spentBy(userId ?? ''), await spentBy(userId ?? '', agentId)])
      expect(spent).toMatchObject({ used: 3500, committed: 3500 })
  })

  it('applies to the platform’s own agents too', async () => {
    served()
    const config = { spendCapUsd: 0.003 }
    const { headers } = await agentCaller(on.table, 'platform', { config })
    expect((await ask(headers)).status).toBe(200)
    expect((await ask(headers)).status).toBe(429)
  })

  it('is exceeded by 200 concurrent calls by at most one call’s cost', async () => {
    on.upstream.serve(model, says('x', usage(1000, 4000)))
    const config = { spendCapUsd: 0.1 }
    const owner = { ...solo, spendCapUsd: 10 }
    const { userId, agentId, headers } = await agentCaller(on.table, owner, { config })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(headers, { max_tokens: 4096 })),
    )
    const ok = answers.filter(({ status }) => status === 200).length
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    const own = await spentBy(userId ?? '', agentId)
    expect(own).toMatchObject({ used: ok * 42_500, committed: ok * 42_500 })
    expect(own.used).toBeLessThan(100_000 + 42_500)
    expect(await spentBy(userId ?? '')).toMatchObject({ used: own.used, committed: own.used })
  })
})

describe('a model of unknown price', () => {
  const unpriced = 'minimax/minimax-chat'
  const network = { plan: 'network', status: 'active' as const }

  it('is rejected under a cap', async () => {
    on.upstream.serve(unpriced, says('x', usage(1, 1)))
    on.upstream.serve('meta-llama/llama-3.3-70b-instruct', says('priced', usage(1, 1)))
    on.gateway = startGateway(on.table, {
      AI_PROVIDERS: `{"acme":{"baseUrl":"${on.upstream.baseUrl}"}}`,
    })
    on.upstream.serve('new', says('x', usage(1, 1)))
    const { userId, headers } = await keyHolder(on.table, { ...network, spendCapUsd: 5 })
    const answer = await ask(headers, { model: 'acme/new' })
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({
      error: { code: 'MODEL_UNPRICED', message: expect.stringContaining('acme/new') },
    })
    expect(on.upstream.asked).toEqual([])
    expect(await itemsOf(on.table, userPartition(userId), 'quota#')).toEqual([])
    await setCap(userId, null)
    expect((await ask(headers, { model: 'acme/new' })).status).toBe(200)
    expect(await eventsOf(on.table, userId)).toEqual([expect.objectContaining({ costUsd: null })])
  })

  it('is skipped for its fallbacks', async () => {
    on.upstream.serve(unpriced, says('x', usage(1, 1)))
    on.upstream.serve('meta-llama/llama-3.3-70b-instruct', says('priced', usage(1, 1)))
    const { headers } = await keyHolder(on.table, { ...network, spendCapUsd: 5 })
    const answer = await ask(headers, { model: unpriced })
    expect(await answer.json()).toMatchObject({ model: 'meta-llama/llama-3.3-70b-instruct' })
  })

  it('uses the price in its provider’s list', async () => {
    on.upstream.list([{ id: unpriced, pricing: { prompt: '0.001', completion: '0.002' } }])
    on.upstream.serve(unpriced, says('x', usage(10, 10)))
    const { userId, headers } = await keyHolder(on.table, { ...network, spendCapUsd: 500 })
    expect((await ask(headers, { model: unpriced })).status).toBe(200)
    expect((await spentBy(userId)).used).toBe(30_000)
  })

  it.each(['1e7', '1e300'])(
    'is any model with an implausible listed price: %s',
    async (perToken) => {
      on.upstream.list([{ id: unpriced, pricing: { prompt: perToken, completion: perToken } }])
      on.upstream.serve(unpriced, says('x', usage(1, 1)))
      const { headers } = await keyHolder(on.table, { ...network, spendCapUsd: 500 })
      expect((await ask(headers, { model: unpriced })).status).toBe(502)
      expect(on.upstream.asked.map((one) => one.model)).not.toContain(unpriced)
    },
  )
})

it('a user without an account, for whom a trusted caller acts, has no cap', async () => {
  served()
  expect((await ask({ 'x-user-id': 'someone@elsewhere' })).status).toBe(200)
  await accountOf(on.table, { ...solo, spendCapUsd: 0 }, 'usr_here')
  expect((await ask({ 'x-user-id': 'usr_here' })).status).toBe(429)
})

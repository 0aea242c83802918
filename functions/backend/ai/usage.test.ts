import { describe, expect, it, vi } from 'vitest'
import { rollupShards } from '#shared/ai/usage/rollups.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import {
  eventsOf,
  hello,
  itemsOf,
  quotaOf,
  useGateway,
  startGateway,
} from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const fast = 'meta-llama/llama-3.3-70b-instruct'

const on = useGateway()

async function ask(userId: string, body: object = {}, plan = 'solo'): Promise<number> {
  const headers = { 'x-user-id': userId, 'x-user-plan': plan }
  const answer = await on.gateway.chat({ ...hello, ...body }, { headers })
  await answer.text()
  return answer.status
}

const sum = (items: Item[], name: string) =>
  items.reduce((total, item) => total + Number(item[name] ?? 0), 0)

const month = new Date().toISOString().slice(0, 7)

it('200 concurrent calls at the edge of a quota exceed it by at most one answer', async () => {
  const user = 'usr_edge'
  const limit = 2_000_000
  const used = limit - 10_000
  const quota = { pk: userPartition(user), sk: `quota#${month}` }
  await on.table.put({ ...quota, used, committed: used })
  on.upstream.serve(fast, says('x', usage(10, 3990)))
  const statuses = await Promise.all(
    Array.from({ length: 200 }, () => ask(user, { max_tokens: 4096 })),
  )
  const served = statuses.filter((status) => status === 200).length
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect(served).toBeGreaterThanOrEqual(2)
  const row = await quotaOf(on.table, user)
  expect(row).toMatchObject({ used: used + served * 4000, committed: used + served * 4000 })
  expect(Number(row?.used)).toBeLessThan(limit + 4000)
  expect(on.upstream.asked).toHaveLength(served)

  await on.table.update(quota, { set: { used: limit, committed: limit } })
  const refused = await on.gateway.chat(hello, { headers: { 'x-user-id': user } })
  expect(refused.status).toBe(429)
  const message = expect.stringMatching(/solo plan.*2000000 of 2000000.*resets at \d{4}-\d\d-01T/)
  expect(await refused.json()).toMatchObject({
    error: { code: 'QUOTA_EXCEEDED', type: 'rate_limit_error', limit, message },
  })
})

it('a call reserves its prompt and its longest possible answer', async () => {
  const reserved = async (user: string, body: object) => {
    const { promise, resolve } = Promise.withResolvers<Item | undefined>()
    on.upstream.serve(fast, async (response, asked) => {
      resolve(await quotaOf(on.table, user))
      return says('x', usage(1, 1))(response, asked)
    })
    await ask(user, body)
    return Number((await promise)?.committed)
  }
  const prompt = (await reserved('usr_r0', {})) - 16_384
  expect(prompt).toBeGreaterThan(0)
  expect(prompt).toBeLessThan(100)
  expect(await reserved('usr_r1', { max_tokens: 10 })).toBe(prompt + 10)
  expect(await reserved('usr_r2', { max_completion_tokens: 20, n: 3 })).toBe(prompt + 60)
  const twoLimits = { max_tokens: 900_000, max_completion_tokens: 5 }
  expect(await reserved('usr_r4', twoLimits)).toBe(prompt + 5)
  expect(on.upstream.asked.at(-1)?.body).toMatchObject({ max_tokens: 5 })
  const long = { messages: [{ role: 'user', content: 'x'.repeat(90_000) }] }
  expect(await reserved('usr_r3', { ...long, max_tokens: 10 })).toBeGreaterThan(22_500)
})

describe('the limit of an answer', () => {
  const sentTo = async (model: string, body: object) => {
    on.upstream.serve(model, says('x', usage(1, 1)))
    await ask('usr_limit', { model, ...body }, 'network')
    const { max_tokens, max_completion_tokens } = on.upstream.asked.at(-1)?.body ?? {}
    return { max_tokens, max_completion_tokens }
  }

  it.each([
    [{ max_tokens: 70 }, 70],
    [{ max_completion_tokens: 70 }, 70],
    [{ max_tokens: 900, max_completion_tokens: 70 }, 70],
    [{ max_tokens: 70, max_completion_tokens: 900 }, 70],
  ])('%j is sent to each provider in all fields that it may support', async (body, limit) => {
    on.upstream.list([{ id: 'openai/o3-mini' }, { id: 'openai/gpt-oss-120b' }])
    expect(await sentTo('openai/gpt-4o', body)).toEqual({
      max_tokens: limit,
      max_completion_tokens: limit,
    })
    expect(await sentTo('openai/gpt-oss-120b', body)).toEqual({
      max_tokens: limit,
      max_completion_tokens: limit,
    })
    expect(await sentTo('openai/o3-mini', body)).toEqual({
      max_tokens: limit,
      max_completion_tokens: limit,
    })
    const entry = {
      openai: { baseUrl: on.upstream.baseUrl, limitField: 'max_completion_tokens' },
    }
    on.gateway = startGateway(on.table, { AI_PROVIDERS: JSON.stringify(entry) })
    on.upstream.serve('gpt-4o', says('x', usage(1, 1)))
    expect(await sentTo('openai/gpt-4o', body)).toEqual({ max_completion_tokens: limit })
  })
})

it('events, a user’s rollups and the platform’s rollups agree', async () => {
  const users = ['usr_sum1', 'usr_sum2', 'usr_sum3']
  const unpriced = 'minimax/minimax-chat'
  const models = ['openai/gpt-4o', 'openai/gpt-4o-mini', unpriced]
  const before = await platformRollups()
  for (const [i, model] of models.entries())
    on.upstream.serve(model, says('x', usage(100 * (i + 1), 10 * (i + 1))))
  await Promise.all(
    users.flatMap((user) =>
      models.flatMap((model) => [1, 2, 3].map(() => ask(user, { model }, 'network'))),
    ),
  )
  const events: Item[] = []
  for (const user of users) {
    const own = await eventsOf(on.table, user)
    const rollups = await itemsOf(on.table, userPartition(user), 'rollup#')
    expect(own).toHaveLength(9)
    expect(rollups).toHaveLength(3)
    for (const rollup of rollups) {
      const same = own.filter((event) => event.model === rollup.model)
      expect(rollup).toMatchObject({
        date: String(same[0]?.createdAt).slice(0, 10),
        agentId: null,
        provider: 'router',
        calls: 3,
        failures: 0,
        unpriced: rollup.model === unpriced ? 3 : 0,
        inputTokens: sum(same, 'inputTokens'),
        outputTokens: sum(same, 'outputTokens'),
        durationMs: sum(same, 'durationMs'),
      })
      expect(Number(rollup.costUsd)).toBeCloseTo(sum(same, 'costUsd'), 12)
    }
    expect((await quotaOf(on.table, user))?.used).toBe(
      sum(own, 'inputTokens') + sum(own, 'outputTokens'),
    )
    events.push(...own)
  }
  const after = await platformRollups()
  for (const name of ['inputTokens', 'outputTokens'])
    expect(sum(after, name) - sum(before, name)).toBe(sum(events, name))
  expect(sum(after, 'calls') - sum(before, 'calls')).toBe(27)
})

async function platformRollups(): Promise<Item[]> {
  const shards = Array.from({ length: rollupShards }, (_, shard) =>
    itemsOf(on.table, `rollups#${shard}`, 'rollup#'),
  )
  return (await Promise.all(shards)).flat()
}

it('a record that fails is logged, and leaves the answer unchanged', async () => {
  on.upstream.serve('openai/gpt-4o', says('x', usage(1000, 10, { cost: 0.000_000_1 })))
  const lines = vi.spyOn(console, 'log').mockImplementation(() => {})
  const messages = () => lines.mock.calls.map(([line]) => JSON.parse(String(line)).message)
  try {
    expect(await ask('usr_log', { model: 'openai/gpt-4o' })).toBe(200)
    expect(messages()).toContain(
      '[UsageLogger] Logging: none | openai/gpt-4o | 1000+10 tokens | $0.0000001',
    )
    const broken = {
      ...on.table,
      transact: () => Promise.reject(new Error('the table is on fire')),
    }
    on.gateway = startGateway(broken, { AI_BASE_URL: on.upstream.baseUrl })
    expect(await ask('usr_log', { model: 'openai/gpt-4o' })).toBe(200)
    expect(messages()).toContain('[UsageLogger] Failed to log usage: the table is on fire')
  } finally {
    lines.mockRestore()
  }
})

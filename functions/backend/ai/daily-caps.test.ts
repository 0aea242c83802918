import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { reserve } from '#shared/ai/usage/quota/reserve.ts'
import { spendKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import { keySpendLimits } from '#shared/ai/usage/quota/spend-limit.ts'
import { dayOf } from '#shared/platform/days.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { hello, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'

const model = 'openai/gpt-4o'
/** 1,000 tokens in and 100 out at $2.50 and $10 a million. */
const costs = 0.0035
const dayMs = 86_400_000

const on = useGateway()
const served = () => on.upstream.serve(model, says('x', usage(1000, 100)))

/** Noon of the 15th of this month, so that no day ends during a test. */
const noon = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 15, 12)

beforeAll(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterAll(() => vi.useRealTimers())

const ask = (headers: Record<string, string>) => on.gateway.chat({ ...hello, model }, { headers })

const statusesOf = async (headers: Record<string, string>, calls: number) => {
  const statuses: number[] = []
  for (let i = 0; i < calls; i++) statuses.push((await ask(headers)).status)
  return statuses
}

const capped = { ...solo, spendCapUsdPerDay: 2 * costs }

describe('a daily spend cap', () => {
  it('a daily spend cap of a user covers their keys, their agents and calls of the platform for them', async () => {
    served()
    const { headers, userId } = await keyHolder(on.table, capped)
    const agent = await agentCaller(on.table, capped, { userId })
    expect(await statusesOf(headers, 1)).toEqual([200])
    expect(await statusesOf(agent.headers, 2)).toEqual([200, 429])
    expect(await statusesOf({ 'x-user-id': userId }, 1)).toEqual([429])
    const refused = await ask(headers)
    const resetsAt = new Date(Date.parse(dayOf(noon)) + dayMs).toISOString()
    expect(await refused.json()).toEqual({
      error: {
        message: `Daily spend cap of the user reached: $0.007 of $0.007 spent. The cap resets at ${resetsAt}.`,
        type: 'rate_limit_error',
        param: null,
        code: 'SPEND_CAP_REACHED',
        spentUsd: 0.007,
        capUsd: 0.007,
        resetsAt,
      },
    })
    expect(refused.headers.get('retry-after')).toBe(String(dayMs / 2000))
  })

  it('a daily spend cap of an agent stops only this agent', async () => {
    served()
    const config = { spendCapUsdPerDay: costs }
    const one = await agentCaller(on.table, solo, { config })
    const other = await agentCaller(on.table, solo, { userId: one.userId! })
    expect(await statusesOf(one.headers, 2)).toEqual([200, 429])
    expect(await statusesOf(other.headers, 1)).toEqual([200])
  })

  it('starts again at midnight in UTC, even for a key', async () => {
    served()
    const user = await keyHolder(on.table, capped)
    const key = await keyHolder(on.table, solo, { limits: { usdPerDay: costs } })
    try {
      expect(await statusesOf(user.headers, 3)).toEqual([200, 200, 429])
      expect(await statusesOf(key.headers, 2)).toEqual([200, 429])
      vi.setSystemTime(Date.parse(dayOf(noon)) + dayMs - 1000)
      expect(await statusesOf(user.headers, 1)).toEqual([429])
      vi.setSystemTime(Date.parse(dayOf(noon)) + dayMs)
      expect(await statusesOf(user.headers, 3)).toEqual([200, 200, 429])
      expect(await statusesOf(key.headers, 2)).toEqual([200, 429])
    } finally {
      vi.setSystemTime(noon)
    }
  })

  it('counts what was spent on the day before it was set', async () => {
    served()
    const { headers, userId } = await keyHolder(on.table, solo)
    expect(await statusesOf(headers, 2)).toEqual([200, 200])
    await on.table.update(
      { pk: `user#${userId}`, sk: 'profile' },
      { set: { spendCapUsdPerDay: 2 * costs } },
    )
    expect(await statusesOf(headers, 1)).toEqual([429])
  })
})

it('the hold of a killed call is released, so that the key can spend the rest of its limit', async () => {
  served()
  const limits = { usdPerDay: 1, usdPerMonth: 1 }
  const { headers, userId, keyId } = await keyHolder(on.table, solo, { limits })
  await reserve(
    { table: on.table },
    {
      userId,
      agentId: null,
      plan: 'solo',
      limit: null,
      cap: null,
      agentCap: null,
      spendLimits: keySpendLimits(keyId, limits),
      amounts: { tokens: 1, microUsd: 1_000_000 },
    },
  )
  try {
    expect(await statusesOf(headers, 1)).toEqual([429])
    vi.setSystemTime(noon + 1_300_000)
    expect(await statusesOf(headers, 1)).toEqual([200])
    for (const period of [dayOf(noon), dayOf(noon).slice(0, 7)]) {
      const { microUsd } = toQuota(await on.table.get(spendKey(userId, keyId, period)))
      expect(microUsd).toMatchObject({ used: 3500, committed: 3500 })
    }
  } finally {
    vi.setSystemTime(noon)
  }
})

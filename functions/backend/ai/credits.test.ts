import { describe, expect, it } from 'vitest'
import { quotaKey } from '#shared/ai/usage/quota/row.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { agentCaller, keyHolder, type Owner, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, quotaOf, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'
import { creditsOf, grantCredits } from '#tests/support/billing/credits.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'openai/gpt-4o'
const month = new Date().toISOString().slice(0, 7)
const limit = 2_000_000

const on = useGateway()

type Headers = Record<string, string>

const ask = (headers: Headers, body: object = {}) =>
  on.gateway.chat({ ...hello, model, ...body }, { headers })

const expectCode = async (answer: Response, code: string) =>
  expect(await answer.json()).toMatchObject({ error: { code } })

const useUp = (userId: string, used = limit) =>
  on.table.put({ ...quotaKey(userId, month), used, committed: used })

/** Creates a user with credits, and with only some tokens left in the month. */
async function userWith(
  credits: number,
  { left = 0, ...owner }: Partial<Owner> & { left?: number } = {},
) {
  const user = await keyHolder(on.table, { ...solo, ...owner })
  if (credits > 0) await grantCredits(on.table, user.userId, credits)
  await useUp(user.userId, limit - left)
  return user
}

/** 1,000 tokens in and 100 out at $2.50 and $10 a million: 3,500 millionths of a dollar. */
const served = () => on.upstream.serve(model, says('x', usage(1000, 100)))

/** The credits that calls used, in millionths of a dollar, oldest first. */
const drawn = async (userId: string) =>
  (await creditsOf(on.table, userId)).postings
    .filter(({ reason }) => reason === 'use')
    .map(({ microUsd }) => -microUsd)

describe('above the month’s quota', () => {
  it('a call is paid with credits at its cost', async () => {
    served()
    const { userId, headers } = await userWith(1)
    expect((await ask(headers)).status).toBe(200)
    const { postings, balance, held } = await creditsOf(on.table, userId)
    const [event] = await eventsOf(on.table, userId)
    expect(postings.at(-1)).toMatchObject({ microUsd: -3500, reason: 'use', ref: event?.id })
    expect([balance, held]).toEqual([96_500, 0])
    expect(event).toMatchObject({ costUsd: 0.0035 })
    expect(await quotaOf(on.table, userId)).toMatchObject({
      used: limit + 1100,
      committed: limit + 1100,
      usedMicroUsd: 3500,
    })
  })

  it('calls by a key, for a user, of an agent and as a stream are paid with credits too', async () => {
    served()
    const { userId, headers } = await userWith(1)
    const internal = { 'x-user-id': userId }
    expect((await ask(internal)).status).toBe(200)
    expect((await on.gateway.aiChat({ ...hello, model }, { headers })).status).toBe(200)
    const stream = await ask(headers, { stream: true })
    expect(await stream.text()).toContain('[DONE]')
    await expect.poll(() => drawn(userId)).toEqual([3500, 3500, 3500])

    const agent = await agentCaller(on.table, solo)
    const owner = agent.userId ?? ''
    await grantCredits(on.table, owner, 1)
    await useUp(owner)
    expect((await ask(agent.headers)).status).toBe(200)
    expect(await drawn(owner)).toEqual([3500])
  })

  it('the price of a call is the price that its provider reports', async () => {
    on.upstream.serve(model, says('x', usage(1000, 100, { cost: 0.0123 })))
    const { userId, headers } = await userWith(1)
    await ask(headers)
    expect(await drawn(userId)).toEqual([12_300])
  })

  it('the last call takes the rest of the balance, and the next is rejected', async () => {
    on.upstream.serve(model, says('x', usage(1000, 100, { cost: 0.25 })))
    const { userId, headers } = await userWith(1)
    expect((await ask(headers)).status).toBe(200)
    expect(await drawn(userId)).toEqual([100_000])
    const refused = await ask(headers)
    expect(refused.status).toBe(429)
    await expectCode(refused, 'QUOTA_EXCEEDED')
    await grantCredits(on.table, userId, 50)
    expect((await ask(headers)).status).toBe(200)
    expect(await drawn(userId)).toEqual([100_000, 250_000])
  })

  it.each([
    ['without credits', 0, {}],
    ['who disabled credits', 50, { useCredits: false }],
  ])('a call is rejected to one %s', async (_, credits, owner) => {
    served()
    const { userId, headers } = await userWith(credits, owner)
    const refused = await ask(headers)
    expect(refused.status).toBe(429)
    await expectCode(refused, 'QUOTA_EXCEEDED')
    expect(await drawn(userId)).toEqual([])
    expect(on.upstream.asked).toEqual([])
  })

  it('credits do not open a plan, nor a model outside it', async () => {
    const canceled = await userWith(50, { status: 'canceled' })
    expect((await ask(canceled.headers)).status).toBe(402)
    const { headers } = await userWith(50)
    expect((await ask(headers, { model: 'openai/o1' })).status).toBe(403)
  })

  it('a call that no model answers releases its hold', async () => {
    on.upstream.serve(model, fails(500))
    const { userId, headers } = await userWith(1)
    expect((await ask(headers)).status).toBe(502)
    expect(await creditsOf(on.table, userId)).toMatchObject({ balance: 100_000, held: 0 })
  })

  it('a spend cap still ends the month, and the hold is released', async () => {
    served()
    const { userId, headers } = await userWith(50, { spendCapUsd: 0.006 })
    for (const status of [200, 200, 429]) expect((await ask(headers)).status).toBe(status)
    await expectCode(await ask(headers), 'SPEND_CAP_REACHED')
    expect(await drawn(userId)).toEqual([3500, 3500])
    expect((await creditsOf(on.table, userId)).held).toBe(0)
  })

  it('the stand-in model is free and takes no credits', async () => {
    on.gateway = startGateway(on.table, { STAND_IN_PROVIDER_URL: on.upstream.baseUrl })
    on.upstream.serve('echo', says('x', usage(1000, 100)))
    const { userId, headers } = await userWith(1)
    expect((await ask(headers, { model: 'auto' })).status).toBe(200)
    expect(await drawn(userId)).toEqual([])
  })
})

describe('at the quota’s end', () => {
  it('a call pays only for its tokens above the quota, rounded up', async () => {
    served()
    const { userId, headers } = await userWith(1, { left: 1099 })
    expect((await ask(headers)).status).toBe(200)
    // One token of 1,100: 3.18 millionths.
    expect(await drawn(userId)).toEqual([4])
  })

  it('a call that ends exactly at the quota pays nothing', async () => {
    served()
    const { userId, headers } = await userWith(1, { left: 2200 })
    for (const draws of [[], [], [3500]]) {
      expect((await ask(headers)).status).toBe(200)
      expect(await drawn(userId)).toEqual(draws)
    }
  })

  it('the first call of a month may exceed the whole quota', async () => {
    on.upstream.serve(model, says('x', usage(4_000_000, 0, { cost: 0.05 })))
    const { userId, headers } = await userWith(1)
    await on.table.delete(quotaKey(userId, month))
    expect((await ask(headers)).status).toBe(200)
    expect(await drawn(userId)).toEqual([25_000])
  })

  it('a call pays nothing if another call only held the quota', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { userId, headers } = await userWith(1, { left: 5000 })
    on.upstream.serve(model, async (response, asked) => {
      if (on.upstream.asked.length === 1) await promise
      return says('x', usage(10, 10))(response, asked)
    })
    const first = ask(headers, { max_tokens: 100_000 })
    await expect.poll(() => on.upstream.asked.length).toBe(1)
    expect((await ask(headers)).status).toBe(200)
    resolve()
    expect((await first).status).toBe(200)
    expect(await drawn(userId)).toEqual([])
    expect(await creditsOf(on.table, userId)).toMatchObject({ balance: 100_000, held: 0 })
  })

  it('an agent under a cap pays the same', async () => {
    served()
    const agent = await agentCaller(on.table, solo, { config: { spendCapUsd: 5 } })
    const owner = agent.userId ?? ''
    await grantCredits(on.table, owner, 1)
    await useUp(owner, limit - 550)
    for (const draws of [[1750], [1750, 3500]]) {
      expect((await ask(agent.headers)).status).toBe(200)
      expect(await drawn(owner)).toEqual(draws)
    }
  })

  it('200 concurrent calls exceed quota and credits by at most the cost of one', async () => {
    on.upstream.serve(model, says('x', usage(1000, 4000)))
    const { userId, headers } = await userWith(2, { left: 10_000 })
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => ask(headers, { max_tokens: 4096 })),
    )
    const statuses = answers.map(({ status }) => status)
    const ok = statuses.filter((status) => status === 200).length
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(on.upstream.asked).toHaveLength(ok)
    // One passes the quota, which the tokens of two use up; another passes the credits, at 42,500 millionths each.
    const cost = (ok - 2) * 42_500
    expect(cost).toBeGreaterThanOrEqual(200_000)
    expect(cost).toBeLessThan(200_000 + 2 * 42_500)
    const { balance, held } = await creditsOf(on.table, userId)
    expect([balance, held]).toEqual([0, 0])
    expect(await quotaOf(on.table, userId)).toMatchObject({
      used: limit - 10_000 + ok * 5000,
      committed: limit - 10_000 + ok * 5000,
    })
  })
})

it('a balance older than the ledger is spent as well', async () => {
  served()
  const { userId, headers } = await userWith(0)
  await on.table.update(
    { pk: userPartition(userId), sk: 'profile' },
    { set: { credits: 10 }, remove: ['creditMicroUsd'] },
  )
  expect((await ask(headers)).status).toBe(200)
  const row = await on.table.get({ pk: userPartition(userId), sk: 'profile' })
  expect(row).toMatchObject({ creditMicroUsd: 996_500, creditPostings: 1 })
})

const profileOf = (userId: string) => ({ pk: userPartition(userId), sk: 'profile' })

/** Simulates that twenty minutes have passed. The names of the slots are their expiry times. */
async function letHoldsExpire(userId: string): Promise<void> {
  const row = await on.table.get(profileOf(userId))
  const slots = Object.keys(row ?? {}).filter((name) => name.startsWith('creditsHeld_'))
  const reserved = slots.reduce((sum, name) => sum + Number(row?.[name]), 0)
  await on.table.update(profileOf(userId), { set: { creditsHeld_1: reserved }, remove: slots })
}

describe('a process that is killed at any of its calls to the table', () => {
  it.each(Array.from({ length: 24 }, (_, seed) => seed))(
    'charges a call at most once, and its hold is released: %d',
    async (seed) => {
      served()
      const { userId, headers } = await userWith(1, { left: seed % 2 === 0 ? 0 : 550 })
      const doomed = startGateway(lifeOf(randomFrom(seed), true)(on.table), {
        AI_BASE_URL: on.upstream.baseUrl,
      })
      for (let i = 0; i < 4; i++) await doomed.chat({ ...hello, model }, { headers })
      const events = await eventsOf(on.table, userId)
      const whole = events.length * 3500
      expect((await drawn(userId)).reduce((sum, each) => sum + each, 0)).toBe(
        seed % 2 === 0 ? whole : Math.max(0, whole - 1750),
      )
      const { postings } = await creditsOf(on.table, userId)
      const refs = postings.filter(({ reason }) => reason === 'use').map(({ ref }) => ref)
      expect(refs.sort()).toEqual(events.map(({ id }) => id).sort())

      await letHoldsExpire(userId)
      await useUp(userId)
      expect((await ask(headers)).status).toBe(200)
      expect((await creditsOf(on.table, userId)).held).toBe(0)
    },
  )
})

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { profileKey } from '#shared/accounts/users/user.ts'
import { agentKey } from '#shared/agents/record/agent.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { auditOf } from '#tests/support/accounts/audit.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import type { SettlementBehaviour } from '#tests/support/x402/played-facilitator.ts'
import {
  newNonce,
  type SoldAgents,
  startSoldAgents,
  type Tokens,
} from '#tests/support/x402/sold-agent.ts'

let on: SoldAgents
beforeAll(async () => {
  on = await startSoldAgents()
})
afterAll(() => on.close())

/** X402_PRICE_USD's default, in millionths of a US dollar. */
const price = 10_000

/** Returns the credits of an owner's sales, in order. */
async function earned(userId: string): Promise<number[]> {
  const { postings } = await creditsOf(on.table, userId)
  return postings.map(({ microUsd }) => microUsd)
}

type Seller = Awaited<ReturnType<SoldAgents['owner']>>

const removeAgent = ({ id, agentId }: Seller) => on.table.delete(agentKey({ userId: id, agentId }))

const closeAgent = ({ id, agentId }: Seller) =>
  on.table.update(agentKey({ userId: id, agentId }), { set: { config: {} } })

it.each<[string, Tokens, string, number[]]>([
  ['the tokens and the platform’s tenth', { microUsd: 1500 }, '10', [1000, 7500, 0]],
  ['the configured platform share', { microUsd: 1500 }, '25', [2500, 6000, 0]],
  ['no share at a setting of 0', { microUsd: 0 }, '0', [0, 10_000, 0]],
  ['all of it at a full share', { microUsd: 1 }, '100', [10_000, 0, 1]],
  ['the tokens, and never less than zero', { microUsd: 9500 }, '10', [1000, 0, 500]],
  [
    'the tokens, except those paid by credits or own keys',
    { microUsd: 1500, paidMicroUsd: 900 },
    '10',
    [1000, 8400, 0],
  ],
])('an owner earns the price less %s', async (_, tokens, sharePercent, [share, net, shortfall]) => {
  const { id, agentId } = await on.owner(tokens)
  const settings = { X402_PLATFORM_SHARE: sharePercent }
  expect((await on.ask(agentId, newNonce(), { settings })).status).toBe(200)
  const tokenCost = tokens.microUsd - (tokens.paidMicroUsd ?? 0)
  expect(await on.sales(id)).toEqual([
    expect.objectContaining({
      state: 'settled',
      isDue: false,
      price,
      tokenCost,
      share,
      net,
      shortfall,
    }),
  ])
  expect(await earned(id)).toEqual(net === 0 ? [] : [net])
})

it('the posting references the sale, and the owner’s audit contains it', async () => {
  const { id, agentId } = await on.owner()
  await on.ask(agentId, newNonce())
  const { postings } = await creditsOf(on.table, id)
  const [sale] = await on.sales(id)
  expect(postings).toMatchObject([{ reason: 'grant', ref: `sale:${sale?.payment}` }])
  expect(sale).not.toHaveProperty('signed')
  expect(await auditOf(on.table, id)).toMatchObject([
    { action: 'credits.granted', actor: 'provider', target: `sale:${sale?.payment}` },
  ])
})

it('a payment that is sent several times, also concurrently, is credited once', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  const answers = await Promise.all([1, 2, 3].map(() => on.ask(agentId, nonce)))
  answers.push(await on.ask(agentId, nonce))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  await Promise.all([on.tick(), on.tick()])
  expect(await earned(id)).toEqual([9000])
})

it.each<[string, SettlementBehaviour, string, number[]]>([
  ['was settled', 'lost', 'settled', [9000]],
  ['was not settled', 'hangs up', 'void', []],
])(
  'a settlement of unknown outcome that %s leaves its sale %s',
  async (_, word, state, credited) => {
    const { id, agentId } = await on.owner()
    const nonce = newNonce()
    on.facilitator.words.set(nonce, [word])
    expect((await on.ask(agentId, nonce)).status).toBe(502)
    // The request may still be at work.
    await on.tick(on.table, 30)
    expect(await on.sales(id)).toMatchObject([{ state: 'settling', isDue: true }])
    await Promise.all([on.tick(), on.tick()])
    // A payment that may still be settled is not given up.
    if (word === 'hangs up') expect(await on.sales(id)).toMatchObject([{ state: 'settling' }])
    await on.tick(on.table, 3600)
    expect(await on.sales(id)).toMatchObject([{ state, isDue: false }])
    expect(await earned(id)).toEqual(credited)
    // The payer gets the stored answer, and the owner is credited once.
    expect((await on.ask(agentId, nonce)).status).toBe(200)
    expect([(await on.ask(agentId, nonce)).status, await earned(id)]).toEqual([409, [9000]])
  },
)

it('an answer whose payer disconnects during the work is settled, and waits for the payer', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  const payer = new AbortController()
  const over = before(on.table, (name) => {
    // The first put is the request to the agent.
    if (name === 'put') payer.abort()
  })
  expect((await on.ask(agentId, nonce, { over, signal: payer.signal })).status).toBe(503)
  expect([payer.signal.aborted, on.facilitator.settled.has(nonce)]).toEqual([true, true])
  expect([(await on.sales(id)).map(({ state }) => state), await earned(id)]).toEqual([
    ['settled'],
    [9000],
  ])
  const again = await on.ask(agentId, nonce)
  expect([again.status, again.body.reply]).toEqual([200, expect.stringMatching(/^Answer /)])
  expect([(await on.ask(agentId, nonce)).status, (await on.sales(id)).length]).toEqual([409, 1])
  expect(await earned(id)).toEqual([9000])
})

it('a payer who has gone before the work costs the owner nothing', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  expect((await on.ask(agentId, nonce, { signal: AbortSignal.abort() })).status).toBe(503)
  expect([on.facilitator.settled.has(nonce), await on.sales(id)]).toEqual([false, []])
  expect((await on.ask(agentId, nonce)).status).toBe(200)
})

it('a rejected settlement voids the sale, and the next attempt sells it', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  on.facilitator.words.set(nonce, ['refuses'])
  expect((await on.ask(agentId, nonce)).status).toBe(402)
  expect(await on.sales(id)).toMatchObject([{ state: 'void', isDue: false }])
  expect((await on.ask(agentId, nonce)).status).toBe(200)
  expect([(await on.sales(id)).length, await earned(id)]).toEqual([1, [9000]])
})

it('the tick may race with the payer’s retry: the owner is credited once, the payer answered once', async () => {
  for (let round = 0; round < 6; round++) {
    const { id, agentId } = await on.owner()
    const nonce = newNonce()
    on.facilitator.words.set(nonce, ['lost'])
    await on.ask(agentId, nonce)
    const [again] = await Promise.all([on.ask(agentId, nonce), on.tick(), on.tick()])
    expect([again.status, await earned(id)]).toEqual([200, [9000]])
  }
})

it('an agent that is deleted in the meantime earns for its owner, and a deleted owner earns nothing', async () => {
  const [ada, bob] = [await on.owner(), await on.owner()]
  for (const { agentId } of [ada, bob]) {
    const nonce = newNonce()
    on.facilitator.words.set(nonce, ['lost'])
    await on.ask(agentId, nonce)
  }
  await removeAgent(ada)
  const deletedAt = new Date().toISOString()
  await userStore(on.table, bob.id).update(profileKey, { set: { deletedAt } })
  await on.tick()
  expect([await earned(ada.id), await earned(bob.id)]).toEqual([[9000], []])
  expect(await on.sales(bob.id)).toMatchObject([
    { state: 'settled', ownerless: true, isDue: false },
  ])
})

it.each([
  ['is deleted', removeAgent],
  ['is no longer for sale', closeAgent],
])('a paid answer is returned to its payer after the agent %s', async (_, end) => {
  const owner = await on.owner()
  const [paid, unpaid] = [newNonce(), newNonce()]
  on.facilitator.words.set(paid, ['lost'])
  on.facilitator.words.set(unpaid, ['refuses'])
  expect((await on.ask(owner.agentId, paid)).status).toBe(502)
  expect((await on.ask(owner.agentId, unpaid)).status).toBe(402)
  await end(owner)
  const answers = [await on.ask(owner.agentId, paid), await on.ask(owner.agentId, unpaid)]
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
  expect(answers[0]?.body.reply).toMatch(/^Answer /)
  await on.tick()
  expect([(await on.ask(owner.agentId, paid)).status, await earned(owner.id)]).toEqual([
    409,
    [9000],
  ])
})

it('after a kill between any two calls, each settled sale is credited once', async () => {
  const ends = { settled: 0, other: 0 }
  for (let calls = 0; calls < 22; calls++)
    for (const carriedOut of [false, true]) {
      const { id, agentId } = await on.owner({ microUsd: 500 })
      const nonce = newNonce()
      const dying = lifeOf(
        { ...randomFrom(1), below: () => calls, percent: () => carriedOut },
        true,
      )
      await on.ask(agentId, nonce, { over: dying(on.table) })
      await on.timeIsOver(nonce)
      if (calls % 2 === 0) await on.ask(agentId, nonce)
      await on.tick(dying(on.table)).catch(() => undefined)
      await on.tick(on.table, 3600)
      const isSettled = on.facilitator.settled.has(nonce)
      ends[isSettled ? 'settled' : 'other']++
      expect(await earned(id), `${calls} ${carriedOut}`).toEqual(isSettled ? [8500] : [])
      for (const sale of await on.sales(id))
        expect(sale).toMatchObject({ state: isSettled ? 'settled' : 'void', isDue: false })
    }
  expect(Math.min(...Object.values(ends))).toBeGreaterThan(3)
}, 60_000)

const step = fc.oneof(
  fc.record({ kind: fc.constant('ask' as const), payment: fc.nat(2), dies: fc.option(fc.nat(20)) }),
  fc.record({ kind: fc.constant('tick' as const), dies: fc.option(fc.nat(10)) }),
)

const history = fc.record({
  priceMicroUsd: fc.integer({ min: 1, max: 40_000 }),
  tokens: fc.integer({ min: 0, max: 40_000 }),
  sharePercent: fc.integer({ min: 0, max: 100 }),
  words: fc.array(fc.constantFrom<SettlementBehaviour>('settles', 'lost', 'refuses', 'hangs up'), {
    maxLength: 9,
  }),
  rounds: fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
})

it('in every history, price and shortfall equal net, share and tokens, and each settled sale is credited once', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ priceMicroUsd, tokens, sharePercent, words, rounds }) => {
      const { id, agentId } = await on.owner({ microUsd: tokens })
      const nonces = [newNonce(), newNonce(), newNonce()]
      for (const [i, nonce] of nonces.entries())
        on.facilitator.words.set(
          nonce,
          words.filter((_, n) => n % nonces.length === i),
        )
      const settings = {
        X402_PRICE_USD: (priceMicroUsd / 1_000_000).toFixed(6),
        X402_PLATFORM_SHARE: String(sharePercent),
      }
      for (const together of rounds) {
        await Promise.all(
          together.map(async (each) => {
            const doomed = { ...randomFrom(1), below: () => each.dies ?? 0 }
            const over = lifeOf(doomed, each.dies !== null)(on.table)
            if (each.kind === 'tick') await on.tick(over).catch(() => undefined)
            else await on.ask(agentId, nonces[each.payment], { over, settings })
          }),
        )
        // No process of a round outlives it.
        for (const nonce of nonces) await on.timeIsOver(nonce)
      }
      await on.tick(on.table, 3600)
      const sales = await on.sales(id)
      const settled = sales.filter(({ state }) => state === 'settled')
      for (const { price: paid, tokenCost, share = -1, net = -1, shortfall = -1 } of settled) {
        expect([paid, tokenCost]).toEqual([priceMicroUsd, tokens])
        expect(paid + shortfall).toBe(net + share + tokenCost)
        expect(Math.min(net, share, shortfall)).toBeGreaterThanOrEqual(0)
      }
      const paidFor = nonces.filter((nonce) => on.facilitator.settled.has(nonce))
      expect(settled.length).toBe(paidFor.length)
      expect(sales.filter(({ isDue }) => isDue)).toEqual([])
      const nets = settled.map(({ net = 0 }) => net).filter((net) => net > 0)
      const { postings } = await creditsOf(on.table, id)
      expect(postings.map(({ microUsd }) => microUsd)).toEqual(nets)
      expect(new Set(postings.map(({ ref }) => ref)).size).toBe(nets.length)
    }),
    { numRuns: 40, interruptAfterTimeLimit: 60_000 },
  )
}, 120_000)

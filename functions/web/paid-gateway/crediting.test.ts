import { afterAll, beforeAll, expect, it } from 'vitest'
import { costWrite, type NamedTurn, noteLate, noteRecorded } from '#shared/ai/turns/cost.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { newNonce, type SoldAgents, startSoldAgents } from '#tests/support/x402/sold-agent.ts'

let on: SoldAgents
beforeAll(async () => {
  on = await startSoldAgents()
})
afterAll(() => on.close())

const withoutNode = { EVM_RPC_URL: '' }
const [hour, day] = [3600, 86_400]

/** Returns the credits of an owner's sales, in order. */
async function earned(userId: string): Promise<number[]> {
  const { postings } = await creditsOf(on.table, userId)
  return postings.map(({ microUsd }) => microUsd)
}

async function saleOf(userId: string) {
  const [sale, ...others] = await on.sales(userId)
  if (sale === undefined || others.length > 0) throw new Error('not one sale')
  return sale
}

it('a payment that only the facilitator’s word proves is not credited until a node proves it', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  on.facilitator.words.set(nonce, ['lost'])
  const ask = () => on.ask(agentId, nonce, { settings: withoutNode })
  expect((await ask()).status).toBe(502)
  await on.tick(on.table, 2 * day, withoutNode)
  expect((await ask()).status).toBe(200)
  await on.tick(on.table, 4 * day, withoutNode)
  expect([await earned(id), (await saleOf(id)).isDue]).toEqual([[], true])
  await on.tick(on.table, 6 * day)
  expect([await earned(id), (await saleOf(id)).state]).toEqual([[9000], 'settled'])
})

it('a sale that no node has proven within 30 days is void', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  on.facilitator.words.set(nonce, ['lost'])
  await on.ask(agentId, nonce, { settings: withoutNode })
  await on.tick(on.table, 29 * day, withoutNode)
  expect(await saleOf(id)).toMatchObject({ state: 'settling', isDue: true })
  await on.tick(on.table, 31 * day, withoutNode)
  expect(await saleOf(id)).toMatchObject({ state: 'void', isDue: false })
  expect(await earned(id)).toEqual([])
})

it('a settlement that the facilitator confirms at once is credited without a node', async () => {
  const { id, agentId } = await on.owner()
  expect((await on.ask(agentId, newNonce(), { settings: withoutNode })).status).toBe(200)
  expect(await earned(id)).toEqual([9000])
})

it('a void sale whose settlement is requested once more is found by the schedule again', async () => {
  const { id, agentId } = await on.owner()
  const nonce = newNonce()
  on.facilitator.words.set(nonce, ['hangs up', 'lost'])
  expect((await on.ask(agentId, nonce)).status).toBe(502)
  await on.tick(on.table, hour)
  expect(await saleOf(id)).toMatchObject({ state: 'void', isDue: false })
  expect((await on.ask(agentId, nonce)).status).toBe(502)
  expect(await saleOf(id)).toMatchObject({ state: 'settling', isDue: true })
  await on.tick()
  expect([await earned(id), (await saleOf(id)).isDue]).toEqual([[9000], false])
})

it('a sale waits for a cost of its turn that is recorded late', async () => {
  const named: NamedTurn[] = []
  const { id, agentId } = await on.owner({
    microUsd: 2000,
    async later(turn) {
      named.push(turn)
      await noteLate(on.table, turn, 'use_late')
    },
  })
  const nonce = newNonce()
  expect((await on.ask(agentId, nonce)).status).toBe(200)
  await on.tick()
  expect(await saleOf(id)).toMatchObject({ state: 'settling', paid: true, isDue: true })
  expect([(await on.ask(agentId, nonce)).status, await earned(id)]).toEqual([409, []])
  for (const turn of named) {
    await on.table.transact([costWrite({ ...turn, microUsd: 2000 })])
    await noteRecorded(on.table, turn, 'use_late')
  }
  await on.tick(on.table, 600)
  expect([await earned(id), (await saleOf(id)).tokenCost]).toEqual([[7000], 2000])
})

it('a cost that is not recorded within an hour does not delay the sale further', async () => {
  const later = (turn: NamedTurn) => noteLate(on.table, turn, 'use_lost')
  const { id, agentId } = await on.owner({ microUsd: 2000, later })
  await on.ask(agentId, newNonce())
  await on.tick(on.table, hour + 60)
  expect([await earned(id), (await saleOf(id)).state]).toEqual([[9000], 'settled'])
})

it('a settled sale is stored for seven years, a void one as long as its payment’s claim', async () => {
  const { id, agentId } = await on.owner()
  const [paid, refused] = [newNonce(), newNonce()]
  on.facilitator.words.set(refused, ['refuses'])
  await on.ask(agentId, paid)
  await on.ask(agentId, refused)
  const now = Date.now() / 1000
  for (const { state, expiresAt = 0, validBefore } of await on.sales(id))
    if (state === 'settled') expect((expiresAt - now) / (365 * day)).toBeGreaterThan(7)
    else expect([state, expiresAt]).toEqual(['void', validBefore + day])
})

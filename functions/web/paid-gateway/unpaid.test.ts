import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { agentEventRows } from '#shared/agents/record/rows.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { newNonce, type SoldAgents, startSoldAgents } from '#tests/support/x402/sold-agent.ts'

let sold: SoldAgents
beforeAll(async () => {
  sold = await startSoldAgents()
})
afterAll(() => sold.close())
afterEach(() => void vi.useRealTimers())

const most = 20
const daySeconds = 86_400

/** Asks by a new payer, or by the payer of another nonce, who empties the account during the work. */
async function askUnpaid(agentId: string, nonce = newNonce()) {
  sold.facilitator.words.set(nonce, ['emptied'])
  return sold.ask(agentId, nonce)
}

const samePayer = (nonce: string) => nonce.slice(0, 42) + newNonce().slice(42)

/** Asks 30 times. An address has at most 20 requests in progress. */
async function reachLimit(agentId: string): Promise<number[]> {
  const statuses: number[] = []
  for (let asked = 0; asked < 30; asked += 15) {
    const answers = await Promise.all(Array.from({ length: 15 }, () => askUnpaid(agentId)))
    statuses.push(...answers.map(({ status }) => status))
  }
  return statuses.toSorted()
}

it('an agent does work for at most 20 payers a day who do not pay, also concurrently, and other agents go on', async () => {
  const [one, other] = [await sold.owner(), await sold.owner()]
  expect(await reachLimit(one.agentId)).toEqual([
    ...Array.from({ length: most }, () => 402),
    ...Array.from({ length: 30 - most }, () => 429),
  ])
  const { status, headers, body } = await sold.ask(one.agentId, newNonce())
  expect([status, body.code]).toEqual([429, 'TOO_MANY_OPEN'])
  const left = daySeconds - ((Date.now() / 1000) % daySeconds)
  expect(Math.abs(Number(headers.get('retry-after')) - left)).toBeLessThan(5)
  expect((await sold.ask(other.agentId, newNonce())).status).toBe(200)
  const { items } = await userStore(sold.table, one.id).query({
    beginsWith: agentEventRows.prefix({ agentId: one.agentId }),
  })
  expect(items.map((item) => agentEventRows.parse(item).text)).toEqual([
    expect.stringContaining('20 answers were not paid'),
  ])

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + daySeconds * 1000 })
  expect((await sold.ask(one.agentId, newNonce())).status).toBe(200)
})

it('a payer whose last answer was paid is served beyond that limit, until an answer is not paid', async () => {
  const { agentId } = await sold.owner()
  const good = newNonce()
  expect((await sold.ask(agentId, good)).status).toBe(200)
  await reachLimit(agentId)
  expect((await sold.ask(agentId, samePayer(good))).status).toBe(200)
  expect((await askUnpaid(agentId, samePayer(good))).status).toBe(402)
  expect((await sold.ask(agentId, samePayer(good))).status).toBe(429)
})

it('work that fails, and refusals that are not the payer’s fault, do not count', async () => {
  const { agentId } = await sold.owner()
  for (let i = 0; i <= most; i++) {
    const nonce = newNonce()
    sold.facilitator.words.set(nonce, [i % 2 === 0 ? 'refuses' : 'hangs up'])
    expect((await sold.ask(agentId, nonce)).status).toBe(i % 2 === 0 ? 402 : 502)
  }
  expect((await sold.ask(agentId, newNonce())).status).toBe(200)
})

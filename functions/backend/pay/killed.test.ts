import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { agentPaymentRows } from '#shared/network/agent-payments/rows.ts'
import { allItems } from '#shared/platform/table/pages.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { balanceOf } from '#tests/support/chains/usdc-chain.ts'
import { killedProcess } from '#tests/support/platform/killed-process.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

/** With 50 agents and 20 payments each, about a hundred processes and more are killed. */
const agents = Number(process.env.PAY_AGENTS ?? 4)
const paymentsEach = Number(process.env.PAY_PAYMENTS ?? 6)
const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000)

const price = 10_000
/** Two of three payments fit. */
const perDay = price * Math.ceil((paymentsEach * 2) / 3)

beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => {
  vi.restoreAllMocks()
})

it(
  'payments whose processes are killed are paid once each, within the mandate, and every amount is settled or returned',
  async () => {
    const random = randomFrom(seed)
    const buyers: Awaited<ReturnType<typeof scene.newAgent>>[] = []
    while (buyers.length < agents) buyers.push(await scene.newAgent())
    for (const buyer of buyers)
      await scene.allow({ perDayUsd: (perDay / 1_000_000).toFixed(6) }, buyer)
    let kills = 0

    /** A process that may be killed at one of its calls of the table, the queues or the signer. */
    async function withProcess(isDoomed: boolean, run: (over: object) => Promise<unknown>) {
      const calls = isDoomed ? random.below(14) : Infinity
      const life = killedProcess({ calls, isLastCarriedOut: random.percent(50) })
      const over = {
        table: life.reach(scene.accounts.table),
        queues: life.reach(scene.queues),
        signer: life.reach(scene.signer),
        ...(random.percent(10) && { rpcUrl: 'http://127.0.0.1:1' }),
      }
      await run(over).catch(() => {})
      if (life.isKilled()) kills++
    }

    async function buy(key: string, order: string): Promise<void> {
      for (let attempt = 0; attempt < 4; attempt++) {
        const isDoomed = random.percent(30)
        if (random.percent(15)) scene.facilitator.meets('settle', random.pick(['lost', 'hangs up']))
        if (random.percent(10)) scene.facilitator.meets('verify', 'hangs up')
        let isDone = false
        await withProcess(isDoomed, async (over) => {
          const headers = { 'idempotency-key': order }
          const answer = await scene.buy({ key, headers, over })
          await answer.text()
          isDone = answer.status === 200
        })
        if (isDone) return
        if (random.percent(30)) await withProcess(random.percent(30), (over) => scene.check(over))
      }
    }

    await Promise.all(
      buyers.map(async ({ key }) => {
        // Two orders at a time, as two processes send them.
        const orders = Array.from({ length: paymentsEach }, (_, i) => `order-${i}`)
        const next = async (): Promise<void> => {
          const order = orders.shift()
          if (order === undefined) return
          await buy(key, order)
          await next()
        }
        await Promise.all([next(), next()])
      }),
    )
    for (let round = 0; round < 6; round++) {
      await withProcess(random.percent(50), () => scene.pass(700))
      await scene.pass(700)
    }

    let paid = 0n
    for (const { agentId, wallet } of buyers) {
      const payments = await paymentsOf(agentId)
      expect(payments.map(({ state }) => state).filter((one) => /held|sent/.test(one))).toEqual([])
      expect(new Set(payments.map(({ request: _, nonce }) => nonce)).size).toBe(payments.length)
      const settled = payments.filter(({ state }) => state === 'settled')
      for (const { txHash } of settled) expect(txHash).toMatch(/^0x[0-9a-f]{64}$/)
      const spent = 100_000_000n - (await balanceOf(scene.chain, wallet))
      expect(spent).toBe(BigInt(settled.length * price))
      expect(settled.length * price).toBeLessThanOrEqual(perDay)
      expect(payments.length).toBeLessThanOrEqual(paymentsEach)
      expect(await scene.used(agentId)).toBe(settled.length * price)
      paid += spent
    }
    expect(await balanceOf(scene.chain, sellerAddress)).toBe(paid)
    expect(paid).toBeGreaterThan(0n)
    expect(kills).toBeGreaterThan(0)
    process.stderr.write(
      `seed ${seed}: ${agents * paymentsEach} payments of ${agents} agents, ${kills} kills, ${paid / BigInt(price)} settled\n`,
    )
  },
  60_000 + agents * paymentsEach * 1000,
)

async function paymentsOf(agentId: string) {
  const pk = agentPaymentRows.pk({ agentId })
  const beginsWith = agentPaymentRows.prefix()
  const items = await allItems((from) => scene.accounts.table.query({ pk, beginsWith, ...from }))
  return items.map(agentPaymentRows.parse)
}

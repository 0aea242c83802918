import { decodePaymentSignatureHeader } from '@x402/core/http'
import type { Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { saleRows } from '#shared/conversations/paid-gateway/sales/rows.ts'
import { tickSales } from '#shared/conversations/paid-gateway/sales/tick.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { createLog } from '#shared/platform/log.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { itemsOf } from '#tests/support/ai/gateway.ts'
import { creditsOf } from '#tests/support/billing/credits.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import { payTo } from '#tests/support/x402/paid-gateway.ts'
import { ask, price, type Sales, startSales } from '#tests/support/x402/sales.ts'
import { playedAgents } from '#tests/support/x402/sold-agent.ts'

/** The responses of facilitators for a used nonce. */
const usedUp = {
  status: 200,
  body: { success: false, errorReason: 'nonce_already_used', transaction: '', network: 'x' },
}

describe.skipIf(noAnvil)(
  `a payment by x402 whose settlement was unknown, over a node${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let sales: Sales
    let call: Sales['call']

    beforeAll(async () => {
      sales = await startSales()
      call = sales.callerOf({ settings: { ...sales.settings, EVM_RPC_URL: sales.anvil.url } })
    })
    afterAll(() => sales.close())
    beforeEach(() => sales.reset())

    /** Creates a payment whose settlement was requested and not executed; the gateway cannot know its outcome. */
    async function unknown() {
      const paid = await sales.pay()
      sales.facilitator.meets('settle', 'hangs up')
      expect((await call(ask, paid)).status).toBe(502)
      return { paid, nonce: sales.lastPayment().nonce as Hex }
    }

    async function expectNoAnswer(paid: Record<string, string>) {
      sales.facilitator.meets('settle', usedUp)
      for (const answer of [await call(ask, paid), await call(ask, paid)])
        expect([answer.status, answer.body.code, answer.body.text]).toEqual([
          402,
          'PAYMENT_INVALID',
          undefined,
        ])
    }

    it('a payment gets no answer once its payer has cancelled it', async () => {
      const { paid, nonce } = await unknown()
      await sales.payer().cancel(nonce)
      await expectNoAnswer(paid)
      expect(await sales.income()).toBe(0n)
    })

    it('a payment gets no answer once its payer has used its nonce otherwise', async () => {
      for (const [to, value] of [
        [sales.payer().address, price],
        [payTo, price - 1n],
      ] as const) {
        const { paid, nonce } = await unknown()
        await sales.payer().transfer(nonce, to, value)
        // A transfer of the same amount from the same payer for something else.
        const other = await sales.pay()
        expect((await call(ask, other)).status).toBe(200)
        await expectNoAnswer(paid)
      }
      expect(await sales.income()).toBe(3n * price - 1n)
    })

    it.each([1n, 2000n])(
      'a payment gets its answer once it was settled, %d blocks ago',
      async (blocks) => {
        const { paid } = await unknown()
        const [paymentRequirements] = (await sales.due()).accepts
        const paymentPayload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
        const body = JSON.stringify({ paymentPayload, paymentRequirements })
        const late = await fetch(`${sales.facilitator.url}/settle`, { method: 'POST', body })
        expect(await late.json()).toMatchObject({ success: true })
        await sales.anvil.request('anvil_mine', `0x${blocks.toString(16)}`, '0x0')
        const { status, body: told } = await call(ask, paid)
        expect([status, told.text, sales.models.asked.length]).toEqual([200, 'Hello!', 1])
        expect(await sales.income()).toBe(price)
      },
    )

    it('a payment gets its answer even after its expiry', async () => {
      const { paid, nonce } = await unknown()
      await sales.payer().transfer(nonce, payTo, price)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
      onTestFinished(() => void vi.useRealTimers())
      const { status, body } = await call(ask, paid)
      expect([status, body.text, sales.models.asked.length]).toEqual([200, 'Hello!', 1])
      expect((await call(ask, paid)).body.code).toBe('PAYMENT_USED')
    })

    it.each<[string, (nonce: Hex) => Promise<void>, string, number[]]>([
      ['has settled', (nonce) => sales.payer().transfer(nonce, payTo, price), 'settled', [9000]],
      ['was cancelled', (nonce) => sales.payer().cancel(nonce), 'void', []],
    ])(
      'a payment that %s settles or voids an agent’s sale by the schedule',
      async (_, act, state, credited) => {
        const { table } = sales
        const settings = { ...sales.settings, EVM_RPC_URL: sales.anvil.url }
        const { userId } = await keyHolder(table, solo)
        const { id } = await putAgent(table, userId, { config: { paidGateway: true } })
        const paid = await sales.pay()
        sales.facilitator.meets('settle', 'hangs up')
        const request = { plugin: 'agent', agentId: id, message: 'Hello' }
        const queues = playedAgents(table)
        expect((await sales.callerOf({ settings, queues })(request, paid)).status).toBe(502)
        await act(sales.lastPayment().nonce as Hex)
        const ctx = { table, log: createLog(), config: loadConfig(settings) }
        await tickSales(ctx, Date.now() + 3_600_000)
        const rows = await itemsOf(table, userPartition(userId), saleRows.prefix())
        expect(rows.map((row) => row.state)).toEqual([state])
        const { postings } = await creditsOf(table, userId)
        expect(postings.map(({ microUsd }) => microUsd)).toEqual(credited)
      },
    )

    it('waits while the node is unavailable', async () => {
      const { paid, nonce } = await unknown()
      await sales.payer().transfer(nonce, payTo, price)
      const settings = { ...sales.settings, EVM_RPC_URL: 'http://127.0.0.1:1' }
      expect((await sales.callerOf({ settings })(ask, paid)).status).toBe(503)
      expect((await call(ask, paid)).body.text).toBe('Hello!')
    })
  },
)

import type { PaymentRequirements } from '@x402/core/types'
import { type Hex, pad, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import { usdc } from '#tests/support/x402/paid-gateway.ts'
import { ask, price, type Sales, signedFor, startSales } from '#tests/support/x402/sales.ts'

describe.skipIf(noAnvil)(
  `a payment that x402’s own client signs${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let sales: Sales

    beforeAll(async () => {
      sales = await startSales()
    })
    afterAll(() => sales.close())
    beforeEach(() => sales.reset())

    /** Sends a payment whose signature covers other terms than the requested ones. */
    async function signFor(change: Partial<PaymentRequirements>) {
      const due = await sales.due()
      const [request] = due.accepts
      if (request === undefined) throw new Error('nothing is asked for')
      const other = { ...due, accepts: [{ ...request, ...change }] }
      return sales.payer().sign(other, (payload) => void (payload.accepted = request))
    }

    it.each<[string, Partial<PaymentRequirements>, asked: string[]]>([
      ['too little', { amount: '9999' }, []],
      ['too much', { amount: '10001' }, []],
      ['another recipient', { payTo: usdc }, []],
      ['an expiry that is too near', { maxTimeoutSeconds: 5 }, []],
      ['another token', { asset: pad('0x71', { size: 20 }) }, ['verify']],
      ['another chain', { network: 'eip155:1' }, ['verify']],
      ['a token of another name', { extra: { name: 'USDC', version: '2' } }, ['verify']],
    ])('buys nothing if it is for %s', async (_, change, asked) => {
      const { status, body } = await sales.call(ask, await signFor(change))
      expect([status, body.code, body.text]).toEqual([402, 'PAYMENT_INVALID', undefined])
      expect([sales.facilitator.asked, sales.models.asked]).toEqual([asked, []])
      expect(await sales.income()).toBe(0n)
    })

    it('buys nothing under the nonce of another payment', async () => {
      const first = await sales.pay()
      const { nonce } = sales.lastPayment()
      expect((await sales.call(ask, first)).status).toBe(200)
      const other = await sales.pay((payload) => void (signedFor(payload).nonce = nonce))
      expect((await sales.call(ask, other)).body.code).toBe('PAYMENT_USED')
      const fresh = await sales.pay((payload) => void (signedFor(payload).nonce = pad('0x05')))
      expect((await sales.call(ask, fresh)).body.code).toBe('PAYMENT_INVALID')
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
    })

    it('buys one answer if it is sent to two places concurrently', async () => {
      const paid = await sales.pay()
      const elsewhere = sales.callerOf({ settings: sales.settings })
      const all = await Promise.all(
        [sales.call, elsewhere, sales.call, elsewhere].map((call) => call(ask, paid)),
      )
      expect(all.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
    })

    it('buys no answer if the money is spent before the settlement', async () => {
      const paid = await sales.pay()
      const reached = sales.facilitator.holds('settle')
      const answer = sales.call(ask, paid)
      const release = await reached
      const { transfer, balance } = sales.payer()
      await transfer(pad('0x09'), usdc, await balance())
      release()
      const { status, body } = await answer
      expect([status, body.text, await sales.income()]).toEqual([402, undefined, 0n])
    })

    it('buys no answer if it was cancelled before the settlement', async () => {
      const paid = await sales.pay()
      const reached = sales.facilitator.holds('settle')
      const answer = sales.call(ask, paid)
      const release = await reached
      await sales.payer().cancel(sales.lastPayment().nonce as Hex)
      release()
      expect([(await answer).status, (await answer).body.text]).toEqual([402, undefined])
      const again = await sales.call(ask, paid)
      expect([again.status, again.body.text]).toEqual([402, undefined])
    })

    // The last test, because it moves the chain's clock.
    it('buys no answer if it reaches the chain too late', async () => {
      const paid = await sales.pay()
      const reached = sales.facilitator.holds('settle')
      const answer = sales.call(ask, paid)
      const release = await reached
      await sales.anvil.request('evm_increaseTime', toHex(400))
      await sales.anvil.request('anvil_mine', '0x1')
      release()
      const { status, body } = await answer
      expect([status, body.text, await sales.income()]).toEqual([402, undefined, 0n])
    })
  },
)

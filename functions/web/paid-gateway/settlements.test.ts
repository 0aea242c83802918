import {
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findClaim } from '#shared/billing/payments/claims/claim.ts'
import { claimRows } from '#shared/billing/payments/claims/rows.ts'
import { lifeOf } from '#tests/faults/world/perish.ts'
import { randomFrom } from '#tests/faults/world/random.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import type { FacilitatorFault } from '#tests/support/chains/facilitator.ts'
import { usdc } from '#tests/support/x402/paid-gateway.ts'
import { ask, price, type Sales, signedFor, startSales } from '#tests/support/x402/sales.ts'
import { freePayer } from '#tests/support/x402/sold-agent.ts'

/** Returns the id of a payment. */
const idOf = (payer: string, nonce: string) =>
  ['eip155:8453', usdc, payer, nonce].join('#').toLowerCase()

const pending = {
  status: 200,
  body: { success: false, errorReason: 'settlement_pending', transaction: '0x1', network: 'x' },
}

describe.skipIf(noAnvil)(
  `the settlement of a payment by x402${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let sales: Sales

    beforeAll(async () => {
      sales = await startSales()
    })
    afterAll(() => sales.close())
    beforeEach(() => sales.reset())

    it.each<FacilitatorFault>(['hangs up', 'lost', { status: 500, body: {} }, pending])(
      'an answer whose settlement is unknown waits for its payer: %j',
      async (trouble) => {
        const paid = await sales.pay()
        sales.facilitator.meets('settle', trouble)
        const { status, body } = await sales.call(ask, paid)
        expect([status, body.text]).toEqual([502, undefined])
        // The payment is bound to the first request.
        expect((await sales.call({ ...ask, prompt: 'Another' }, paid)).status).toBe(409)
        const answer = await sales.call(ask, paid)
        expect([answer.status, answer.body.text]).toEqual([200, 'Hello!'])
        expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
        expect((await sales.call(ask, paid)).body.code).toBe('PAYMENT_USED')
      },
    )

    it('an answer whose settlement stays unknown is stored until a day after its payment expires', async () => {
      const required = await sales.due()
      for (const terms of required.accepts) terms.maxTimeoutSeconds = 30 * 86_400
      const paid = await sales.payer().sign(required)
      for (let attempts = 0; attempts < 2; attempts++) {
        sales.facilitator.meets('settle', 'hangs up')
        expect((await sales.call(ask, paid)).status).toBe(502)
      }
      const payload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
      const { from = '', nonce = '', validBefore } = signedFor(payload)
      const claim = await findClaim(sales.table, idOf(from, nonce))
      expect(claim?.expiresAt).toBe(Number(validBefore) + 86_400)
    })

    it('a waiting answer is returned only for the same signature, not for the same payer, nonce and body', async () => {
      const paid = await sales.pay()
      sales.facilitator.meets('settle', 'lost')
      expect((await sales.call(ask, paid)).status).toBe(502)
      const payload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
      payload.payload.signature = `0x${'1'.repeat(128)}1b`
      const forged = { 'payment-signature': encodePaymentSignatureHeader(payload) }
      expect((await sales.call(ask, forged)).body.code).toBe('PAYMENT_USED')
      expect((await sales.call(ask, paid)).body.text).toBe('Hello!')
    })

    it('a late settlement after a rejected one counts', async () => {
      const paid = await sales.pay()
      sales.facilitator.meets('settle', 'hangs up')
      expect((await sales.call(ask, paid)).status).toBe(502)
      const busy = { success: false, errorReason: 'busy', transaction: '', network: 'x' }
      sales.facilitator.meets('settle', { status: 200, body: busy })
      expect((await sales.call(ask, paid)).status).toBe(402)
      const [paymentRequirements] = (await sales.due()).accepts
      const paymentPayload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
      const body = JSON.stringify({ paymentPayload, paymentRequirements })
      const late = await fetch(`${sales.facilitator.url}/settle`, { method: 'POST', body })
      expect(await late.json()).toMatchObject({ success: true })
      const { status, body: told } = await sales.call(ask, paid)
      expect([status, told.text, sales.models.asked.length]).toEqual([200, 'Hello!', 1])
      expect(await sales.income()).toBe(price)
    })

    it('an unsettled payment buys no answer, even if it is sent again', async () => {
      const paid = await sales.pay()
      const no = {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'x',
      }
      sales.facilitator.meets('settle', { status: 200, body: no })
      const { status, headers, body } = await sales.call(ask, paid)
      expect([status, body.reason, body.text]).toEqual([402, 'insufficient_funds', undefined])
      const receipt = decodePaymentResponseHeader(headers.get('payment-response') ?? '')
      expect(receipt).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
      // The payer spends the nonce elsewhere, which is not our settlement.
      sales.facilitator.meets('settle', {
        status: 200,
        body: { ...no, errorReason: 'nonce_already_used' },
      })
      expect((await sales.call(ask, paid)).status).toBe(402)
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, 0n])
      expect((await sales.call(ask, paid)).status).toBe(200)
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
    })

    it('after a kill between any two writes, the payer pays once and gets one answer', async () => {
      let kills = 0
      for (let calls = 0; calls < 10; calls++)
        for (const carriedOut of [false, true]) {
          sales.models.asked.length = 0
          sales.models.serve('openai/gpt-4o-mini', (response, asked) =>
            says(`Answer ${sales.models.asked.length}`, usage(1, 1))(response, asked),
          )
          await sales.countAnew()
          const life = lifeOf(
            { ...randomFrom(1), below: () => calls, percent: () => carriedOut },
            true,
          )
          const paid = await sales.pay()
          const dying = sales.callerOf({ table: life(sales.table), settings: sales.settings })
          const first = await dying(ask, paid)
          if (first.status === 500) kills++
          // The claim of a killed process lasts until it expires.
          const meanwhile = await sales.call(ask, paid)
          await timeIsOver()
          const later = await sales.call(ask, paid)
          const answers = [first, meanwhile, later].filter(({ status }) => status === 200)
          expect(new Set(answers.map(({ body }) => body.text)).size, `${calls} ${carriedOut}`).toBe(
            1,
          )
          expect([(await sales.call(ask, paid)).status, await sales.income()]).toEqual([409, price])
        }
      expect(kills).toBeGreaterThan(4)
    })

    /** Simulates that all claims of the payment have expired. */
    async function timeIsOver(): Promise<void> {
      const { payer, nonce } = sales.lastPayment()
      const payment = idOf(payer, nonce)
      await sales.table.update(claimRows.key({ payment }), { set: { heldUntil: 0 } })
      await freePayer(sales.table, payer)
    }
  },
)

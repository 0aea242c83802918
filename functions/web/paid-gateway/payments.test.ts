import type { ServerResponse } from 'node:http'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { PaymentPayload } from '@x402/core/types'
import { pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { idempotencyRows } from '#shared/http/idempotency/rows.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { eventsOf } from '#tests/support/ai/gateway.ts'
import { fails, says, usage } from '#tests/support/ai/upstream.ts'
import { noAnvil } from '#tests/support/chains/anvil.ts'
import type { FacilitatorFault } from '#tests/support/chains/facilitator.ts'
import { Killed } from '#tests/support/platform/killed-process.ts'
import { before } from '#tests/support/platform/recorded-table.ts'
import { mint, usdc } from '#tests/support/x402/paid-gateway.ts'
import { ask, price, type Sales, signedFor, startSales } from '#tests/support/x402/sales.ts'

describe.skipIf(noAnvil)(
  `a payment by x402${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let sales: Sales

    beforeAll(async () => {
      sales = await startSales()
    })
    afterAll(() => sales.close())
    beforeEach(() => sales.reset())

    it('an answer is sold for a payment', async () => {
      const { status, headers, body } = await sales.call(
        { ...ask, max_tokens: 7 },
        await sales.pay(),
      )
      expect([status, body]).toEqual([
        200,
        {
          plugin: 'generate-text',
          id: 'up-1',
          model: 'openai/gpt-4o-mini',
          text: 'Hello!',
          usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
        },
      ])
      const receipt = decodePaymentResponseHeader(headers.get('payment-response') ?? '')
      expect(receipt).toEqual({
        success: true,
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        network: 'eip155:8453',
        payer: sales.payer().address.toLowerCase(),
      })
      expect(await sales.income()).toBe(price)
      expect(sales.models.asked.map(({ body: sent }) => sent.max_tokens)).toEqual([7])
      expect(await eventsOf(sales.table, 'gateway')).not.toEqual([])
    })

    it('a payment buys one answer, even if it is sent several times concurrently', async () => {
      const paid = await sales.pay()
      const reached = sales.facilitator.holds('verify')
      const first = sales.call(ask, paid)
      const release = await reached
      const others = await Promise.all([1, 2, 3].map(() => sales.call(ask, paid)))
      release()
      expect(others.map(({ status, body }) => [status, body.code])).toEqual(
        others.map(() => [409, 'PAYMENT_USED']),
      )
      expect((await first).status).toBe(200)
      expect((await sales.call(ask, paid)).body.code).toBe('PAYMENT_USED')
      expect((await sales.call({ ...ask, prompt: 'And now?' }, paid)).status).toBe(409)
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
    })

    it('payments over the same balance are worked on one at a time, so no answer is lost', async () => {
      await sales.payBy(price)
      const payments = [await sales.pay(), await sales.pay(), await sales.pay()]
      const answers = await Promise.all(payments.map((paid) => sales.call(ask, paid)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429])
      for (const { status, headers, body } of answers)
        if (status === 429)
          expect([body.code, headers.get('retry-after')]).toEqual(['TOO_MANY_OPEN', '10'])
      const others = payments.filter((_, i) => answers[i]?.status === 429)
      for (const paid of others)
        expect((await sales.call(ask, paid)).body.code).toBe('PAYMENT_INVALID')
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
      await mint(sales.anvil, sales.payer().address, price)
      expect((await sales.call(ask, others[0] ?? {})).status).toBe(200)
    })

    it('a payer’s place is not taken by others who only name the payer', async () => {
      const { address } = sales.payer()
      const paid = await sales.pay()
      await sales.payBy()
      const posing = await sales.pay((payload) => void (signedFor(payload).from = address))
      const reached = sales.facilitator.holds('verify')
      const other = sales.call(ask, posing)
      const release = await reached
      expect((await sales.call(ask, paid)).status).toBe(200)
      release()
      expect((await other).status).toBe(402)
    })

    it.each<[string, (payload: PaymentPayload) => void, string]>([
      ['of another scheme', ({ accepted }) => (accepted.scheme = 'upto'), 'scheme'],
      ['on another chain', ({ accepted }) => (accepted.network = 'eip155:1'), 'eip155:8453'],
      ['of another token', ({ accepted }) => (accepted.asset = pad('0x71', { size: 20 })), usdc],
      ['to another recipient', ({ accepted }) => (accepted.payTo = usdc), 'payee must be'],
      ['below the price', ({ accepted }) => (accepted.amount = '9999'), '10000'],
      ['signed for less', (payload) => (signedFor(payload).value = '9999'), '10000'],
      [
        'signed for another recipient',
        (payload) => (signedFor(payload).to = usdc),
        'payee must be',
      ],
      [
        'that has expired',
        (payload) => (signedFor(payload).validBefore = '1700000000'),
        'no longer',
      ],
      [
        'that expires during the work',
        (payload) => (signedFor(payload).validBefore = String(Math.floor(Date.now() / 1000) + 45)),
        'before the work',
      ],
      [
        'that is not valid yet',
        (payload) => (signedFor(payload).validAfter = '99999999999'),
        'not valid yet',
      ],
      ['without an authorization', (payload) => (payload.payload = {}), 'EIP-3009'],
    ])('a payment %s is rejected without a call to the facilitator', async (_, change, reason) => {
      const { status, headers, body } = await sales.call(ask, await sales.pay(change))
      expect([status, body.code, body.reason]).toEqual([
        402,
        'PAYMENT_INVALID',
        expect.stringContaining(reason),
      ])
      const { code: _code, reason: _reason, ...required } = body
      expect(decodePaymentRequiredHeader(headers.get('payment-required') ?? '')).toEqual(required)
      expect([sales.facilitator.asked, sales.models.asked]).toEqual([[], []])
    })

    it.each(['', '%%%', btoa('no json'), btoa('{}'), btoa('{"x402Version":1}')])(
      'an invalid payment is rejected: %j',
      async (text) => {
        expect((await sales.call(ask, { 'payment-signature': text })).status).toBe(402)
        expect(sales.facilitator.asked).toEqual([])
      },
    )

    it.each<[string, (payload: PaymentPayload) => void]>([
      ['is forged', (payload) => void (signedFor(payload).nonce = pad('0x01'))],
      ['is another’s', (payload) => void (signedFor(payload).from = pad('0x02', { size: 20 }))],
    ])('a payment that %s is rejected by the facilitator', async (_, change) => {
      const { status, body } = await sales.call(ask, await sales.pay(change))
      expect([status, body.code]).toEqual([402, 'PAYMENT_INVALID'])
      expect([sales.facilitator.asked, sales.models.asked, await sales.income()]).toEqual([
        ['verify'],
        [],
        0n,
      ])
    })

    it('a payment without funds is rejected, and accepted once funded', async () => {
      await sales.payBy(0n)
      const paid = await sales.pay()
      expect((await sales.call(ask, paid)).body.code).toBe('PAYMENT_INVALID')
      await mint(sales.anvil, sales.payer().address, price)
      expect((await sales.call(ask, paid)).status).toBe(200)
      expect(await sales.income()).toBe(price)
    })

    it.each<FacilitatorFault>([
      'hangs up',
      { status: 500, body: { error: 'down' } },
      { status: 429, body: { isValid: false } },
      { status: 200, body: 'fine' },
      { status: 404, body: { error: 'no such path' } },
    ])('a payment that cannot be verified stays valid: %j', async (trouble) => {
      const paid = await sales.pay()
      sales.facilitator.meets('verify', trouble)
      expect((await sales.call(ask, paid)).status).toBe(502)
      expect(sales.models.asked).toEqual([])
      expect((await sales.call(ask, paid)).status).toBe(200)
      expect(await sales.income()).toBe(price)
    })

    it('a payment that the facilitator rejects by a status is rejected', async () => {
      sales.facilitator.meets('verify', {
        status: 400,
        body: { isValid: false, invalidReason: 'odd' },
      })
      const { status, body } = await sales.call(ask, await sales.pay())
      expect([status, body.reason]).toEqual([402, 'odd'])
    })

    it('failed work is free, and the payment is valid for another attempt', async () => {
      const paid = await sales.pay()
      sales.models.serve('openai/gpt-4o-mini', fails(500))
      expect((await sales.call(ask, paid)).status).toBe(502)
      expect([sales.facilitator.asked, await sales.income()]).toEqual([['verify'], 0n])
      sales.models.serve('openai/gpt-4o-mini', says('At last', usage(1, 1)))
      const { status, body } = await sales.call({ ...ask, prompt: 'Something else' }, paid)
      expect([status, body.text, await sales.income()]).toEqual([200, 'At last', price])
    })

    it.each<[string, (response: ServerResponse) => void]>([
      ['does not start', () => {}],
      ['does not end', (response) => void response.writeHead(200).write('{"id":"up-1",')],
    ])('an answer of a model that %s is free', async (_, behaviour) => {
      const paid = await sales.pay()
      sales.models.serve('openai/gpt-4o-mini', behaviour)
      const settings = { ...sales.settings, AI_MODEL_TIMEOUT_MS: '300' }
      expect((await sales.callerOf({ settings })(ask, paid)).status).toBe(502)
      expect([sales.facilitator.asked, await sales.income()]).toEqual([['verify'], 0n])
      sales.models.serve('openai/gpt-4o-mini', says('In time', usage(1, 1)))
      const { status, body } = await sales.call(ask, paid)
      expect([status, body.text, await sales.income()]).toEqual([200, 'In time', price])
    })

    it('the models’ cost is limited to the month’s cap', async () => {
      const capped = { ...sales.settings, X402_SPEND_CAP_USD: '0' }
      const paid = await sales.pay()
      const { status, body } = await sales.callerOf({ settings: capped })(ask, paid)
      expect([status, body.code]).toEqual([503, 'SPEND_CAP_REACHED'])
      expect((await sales.call(ask, paid)).status).toBe(200)
    })

    it('an idempotency key belongs to its payer: another payment under it is rejected', async () => {
      const key = { 'idempotency-key': 'one' }
      const unpaid = await sales.call(ask, key)
      expect(unpaid.status).toBe(402)
      const first = await sales.call(ask, { ...(await sales.pay()), ...key })
      expect(first.status).toBe(200)
      const again = await sales.call(ask, { ...(await sales.pay()), ...key })
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      const receipt = first.headers.get('payment-response')
      expect(decodePaymentResponseHeader(receipt ?? '')).toMatchObject({ success: true })
      expect(again.headers.get('payment-response')).toBe(receipt)
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
      const other = await sales.call(
        { ...ask, prompt: 'Other' },
        { ...(await sales.pay()), ...key },
      )
      expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED')
      await sales.payBy()
      expect(
        (await sales.call({ ...ask, prompt: 'Other' }, { ...(await sales.pay()), ...key })).status,
      ).toBe(200)
    })

    it('under an idempotency key, a payment with a concurrent attempt must be sent again', async () => {
      const paid = await sales.pay()
      const keyed = { ...paid, 'idempotency-key': 'busy' }
      sales.models.serve('openai/gpt-4o-mini', fails(500))
      const reached = sales.facilitator.holds('verify')
      const first = sales.call(ask, paid)
      const release = await reached
      const meanwhile = await sales.call(ask, keyed)
      expect([meanwhile.status, meanwhile.body.code]).toEqual([409, 'PAYMENT_USED'])
      expect(Number(meanwhile.headers.get('retry-after'))).toBeGreaterThan(0)
      release()
      expect((await first).status).toBe(502)
      sales.models.serve('openai/gpt-4o-mini', says('Hello!', usage(3, 2)))
      expect((await sales.call(ask, keyed)).body.text).toBe('Hello!')
      expect(await sales.income()).toBe(price)
    })

    it('an answer is not returned to a caller who only names the payer', async () => {
      const key = { 'idempotency-key': 'two' }
      expect((await sales.call(ask, { ...(await sales.pay()), ...key })).status).toBe(200)
      const { address } = sales.payer()
      await sales.payBy()
      const posing = await sales.pay((payload) => void (signedFor(payload).from = address))
      expect((await sales.call(ask, { ...posing, ...key })).status).toBe(402)
    })

    it('an answer that was lost is returned again under its idempotency key, to its payer', async () => {
      const paid = { ...(await sales.pay()), 'idempotency-key': 'three' }
      const table = before(sales.table, (name, [, update]) => {
        const { set } = (name === 'update' ? update : {}) as { set?: { state?: string } }
        if (set?.state === 'done') throw new Killed('before the answer is kept')
      })
      const first = await sales.callerOf({ table, settings: sales.settings })(ask, paid)
      expect(first.status).toBe(500)
      const keyHash = await sha256Hex('three')
      const actor = `payer:${sales.payer().address.toLowerCase()}`
      const key = idempotencyRows.key({ actor, keyHash })
      await sales.table.update(key, { set: { lockedUntil: 0 } })
      const again = await sales.call(ask, paid)
      expect([again.status, again.body.text]).toEqual([200, 'Hello!'])
      expect([sales.models.asked.length, await sales.income()]).toEqual([1, price])
    })
  },
)

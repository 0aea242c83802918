import type { PaymentPayload, PaymentRequired } from '@x402/core/types'
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http'
import { pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { idempotencyRows } from '../../../shared/http/idempotency/rows.ts'
import { claimRows } from '../../../shared/payments/claims/rows.ts'
import { sha256Hex } from '../../../shared/platform/crypto.ts'
import { type Anvil, noAnvil, startAnvil } from '../../../tests/support/anvil.ts'
import {
  type Facilitator,
  startFacilitator,
  type Trouble,
} from '../../../tests/support/facilitator.ts'
import { itemsOf } from '../../../tests/support/gateway.ts'
import {
  balanceOf,
  type GatewayOptions,
  mint,
  newPayer,
  paidGateway,
  type Payer,
  payTo,
  placeUsdc,
  usdc,
} from '../../../tests/support/paid-gateway.ts'
import { before } from '../../../tests/support/recording.ts'
import { Killed, lifeOf } from '../../../tests/faults/world/perish.ts'
import { randomFrom } from '../../../tests/faults/world/random.ts'
import { startTestTable, type TestTable } from '../../../tests/support/table.ts'
import {
  fails,
  says,
  startUpstream,
  type Upstream,
  usage,
} from '../../../tests/support/upstream.ts'

const path = '/api/v1/gateway'
const price = 10_000n
const ask = { plugin: 'generate-text', prompt: 'Say hello' }

let database: TestTable
let models: Upstream

beforeAll(async () => {
  ;[database, models] = await Promise.all([startTestTable(), startUpstream()])
})
afterAll(() => Promise.all([database.close(), models.close()]))
beforeEach(() => {
  models.reset()
  models.serve('openai/gpt-4o-mini', says('Hello!', usage(3, 2)))
})

type Caller = ReturnType<typeof callerOf>

function callerOf(options: Partial<GatewayOptions> = {}) {
  const app = paidGateway({ table: database.table, ...options })
  return async (body: unknown, headers: Record<string, string> = {}) => {
    const answer = await app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const { status, headers: told } = answer
    return { status, headers: told, body: (await answer.json()) as Record<string, unknown> }
  }
}

const withModels = () => ({ AI_BASE_URL: models.baseUrl, AI_API_KEY: 'key' })
const open = (facilitatorUrl: string) => ({
  ...withModels(),
  X402_PAY_TO: payTo,
  X402_FACILITATOR_URL: facilitatorUrl,
})

describe('what is asked of the paid gateway', () => {
  let call: Caller
  beforeAll(() => {
    call = callerOf({ settings: open('http://127.0.0.1:1') })
  })

  it.each([{}, { plugin: 'mine-gold' }, { plugin: 5 }, { prompt: 'hello' }])(
    'is a plugin that there is: %j',
    async (body) => {
      const answer = await call(body)
      expect([answer.status, answer.body.code]).toEqual([400, 'unknown_plugin'])
      expect(answer.body.error).toContain('plugin')
    },
  )

  it.each<[string, object]>([
    ['prompt', {}],
    ['prompt', { prompt: 'a', messages: [{ role: 'user', content: 'b' }] }],
    ['prompt', { prompt: 'x'.repeat(32_001) }],
    [
      'prompt',
      { messages: Array.from({ length: 9 }, () => ({ role: 'user', content: 'x'.repeat(4000) })) },
    ],
    ['messages', { messages: [] }],
    ['role', { messages: [{ role: 'tool', content: 'b' }] }],
    ['max_tokens', { prompt: 'a', max_tokens: 1025 }],
    ['max_tokens', { prompt: 'a', max_tokens: 0 }],
    ['model', { prompt: 'a', model: 5 }],
  ])('names the field that is wrong: %s %#', async (field, more) => {
    const answer = await call({ plugin: 'generate-text', ...more })
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
    expect(answer.body.code).toBeUndefined()
  })

  it('is a model of the label plan’s set', async () => {
    const { status, body } = await call({ ...ask, model: 'openai/gpt-4o' })
    expect([status, body.code]).toEqual([403, 'MODEL_RESTRICTED'])
  })

  it('is an agent that is there', async () => {
    const body = { plugin: 'agent', agentId: 'agt_none', message: 'hello' }
    expect((await call(body)).status).toBe(404)
    const { status, body: told } = await call({ ...body, message: ' ' })
    expect([status, told.error]).toEqual([400, 'message required'])
  })

  it('is told what is missing, before a payment is asked for', async () => {
    const bare = callerOf({ settings: withModels() })
    const { status, body } = await bare(ask)
    expect([status, body]).toEqual([
      503,
      {
        error: 'The paid gateway is not configured',
        missing: ['X402_PAY_TO', 'X402_FACILITATOR_URL'],
      },
    ])
    const elsewhere = callerOf({ settings: { ...open('http://127.0.0.1:1'), EVM_CHAIN_ID: '10' } })
    expect((await elsewhere(ask)).body.missing).toEqual(['USDC_ADDRESS'])
  })

  it('is limited by address: 100 in a minute', async () => {
    const limited = callerOf({ settings: withModels(), limits: 'on' })
    const statuses: number[] = []
    for (let i = 0; i < 101; i++) statuses.push((await limited({})).status)
    expect(new Set(statuses.slice(0, 100))).toEqual(new Set([400]))
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('a request without a payment', () => {
  const required = {
    x402Version: 2,
    error: 'Payment required',
    resource: {
      url: 'http://localhost:3000/api/v1/gateway',
      description: expect.any(String),
      mimeType: 'application/json',
    },
    accepts: [
      {
        scheme: 'exact',
        network: 'eip155:8453',
        asset: usdc,
        amount: '10000',
        payTo: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        maxTimeoutSeconds: 300,
        extra: { name: 'USD Coin', version: '2' },
      },
    ],
  }

  it('is told what is asked for, in the header and in the body', async () => {
    const { status, headers, body } = await callerOf({ settings: open('http://127.0.0.1:1') })(ask)
    expect([status, body]).toEqual([402, required])
    expect(decodePaymentRequiredHeader(headers.get('payment-required') ?? '')).toEqual(body)
    expect(models.asked).toEqual([])
  })

  it('is told another price, chain and token where they are set', async () => {
    const token = pad('0x77', { size: 20 })
    const settings = {
      ...open('http://127.0.0.1:1'),
      X402_PRICE_USD: '1.5',
      EVM_CHAIN_ID: '84532',
      USDC_ADDRESS: token,
    }
    const { body } = await callerOf({ settings })(ask)
    const accepts = [
      { ...required.accepts[0], network: 'eip155:84532', asset: token, amount: '1500000' },
    ]
    expect(body).toEqual({ ...required, accepts })
    const known = { ...settings, USDC_ADDRESS: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }
    const told = (await callerOf({ settings: known })(ask)).body as unknown as PaymentRequired
    expect(told.accepts[0]?.extra).toEqual({ name: 'USDC', version: '2' })
  })
})

describe.skipIf(noAnvil)(
  `over a chain${noAnvil === undefined ? '' : ` (skipped: ${noAnvil})`}`,
  () => {
    let anvil: Anvil
    let facilitator: Facilitator
    let call: Caller
    let payer: Payer
    let earned: bigint
    /** Of the payment that was signed last. */
    let nonce: string

    beforeAll(async () => {
      anvil = await startAnvil(8453)
      facilitator = await startFacilitator(anvil)
      await placeUsdc(anvil)
      call = callerOf({ settings: open(facilitator.url) })
    })
    afterAll(() => Promise.all([facilitator.close(), anvil.close()]))
    beforeEach(async () => {
      payer = await newPayer(anvil)
      earned = await balanceOf(anvil, payTo)
      facilitator.asked.length = 0
    })

    const due = async () => (await call(ask)).body as unknown as PaymentRequired
    const pay = async (change: (payload: PaymentPayload) => void = () => {}) =>
      payer.sign(await due(), (payload) => {
        nonce = signedFor(payload).nonce ?? ''
        change(payload)
      })
    /** What the platform has been paid in this test. */
    const income = async () => (await balanceOf(anvil, payTo)) - earned

    it('an answer is sold for a payment', async () => {
      const { status, headers, body } = await call({ ...ask, max_tokens: 7 }, await pay())
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
        payer: payer.address.toLowerCase(),
      })
      expect(await income()).toBe(price)
      expect(models.asked.map(({ body: sent }) => sent.max_tokens)).toEqual([7])
      expect(await itemsOf(database.table, 'user#gateway', 'usage#')).not.toEqual([])
    })

    it('a payment buys one answer, also where it is shown several times at once', async () => {
      const paid = await pay()
      const reached = facilitator.holds('verify')
      const first = call(ask, paid)
      const release = await reached
      const others = await Promise.all([1, 2, 3].map(() => call(ask, paid)))
      release()
      expect(others.map(({ status, body }) => [status, body.code])).toEqual(
        others.map(() => [409, 'PAYMENT_USED']),
      )
      expect((await first).status).toBe(200)
      expect((await call(ask, paid)).body.code).toBe('PAYMENT_USED')
      expect((await call({ ...ask, prompt: 'And now?' }, paid)).status).toBe(409)
      expect([models.asked.length, await income()]).toEqual([1, price])
    })

    it.each<[string, (payload: PaymentPayload) => void, string]>([
      ['of another scheme', ({ accepted }) => (accepted.scheme = 'upto'), 'scheme'],
      ['on another chain', ({ accepted }) => (accepted.network = 'eip155:1'), 'eip155:8453'],
      ['of another token', ({ accepted }) => (accepted.asset = pad('0x71', { size: 20 })), usdc],
      ['to somebody else', ({ accepted }) => (accepted.payTo = usdc), 'be to'],
      ['of less than is asked', ({ accepted }) => (accepted.amount = '9999'), '10000'],
      ['signed for less', (payload) => (signedFor(payload).value = '9999'), '10000'],
      ['signed for somebody else', (payload) => (signedFor(payload).to = usdc), 'be to'],
      ['valid no more', (payload) => (signedFor(payload).validBefore = '1700000000'), 'no more'],
      [
        'not valid yet',
        (payload) => (signedFor(payload).validAfter = '99999999999'),
        'not valid yet',
      ],
      ['without an authorization', (payload) => (payload.payload = {}), 'EIP-3009'],
    ])('a payment %s is refused unheard', async (_, change, reason) => {
      const { status, headers, body } = await call(ask, await pay(change))
      expect([status, body.code, body.reason]).toEqual([
        402,
        'PAYMENT_INVALID',
        expect.stringContaining(reason),
      ])
      const { code: _code, reason: _reason, ...required } = body
      expect(decodePaymentRequiredHeader(headers.get('payment-required') ?? '')).toEqual(required)
      expect([facilitator.asked, models.asked]).toEqual([[], []])
    })

    it.each(['', '%%%', btoa('no json'), btoa('{}'), btoa('{"x402Version":1}')])(
      'a payment that is none is refused: %j',
      async (text) => {
        expect((await call(ask, { 'payment-signature': text })).status).toBe(402)
        expect(facilitator.asked).toEqual([])
      },
    )

    it.each<[string, (payload: PaymentPayload) => void]>([
      ['is forged', (payload) => void (signedFor(payload).nonce = pad('0x01'))],
      ['is another’s', (payload) => void (signedFor(payload).from = pad('0x02', { size: 20 }))],
    ])('a payment that %s is refused by the facilitator', async (_, change) => {
      const { status, body } = await call(ask, await pay(change))
      expect([status, body.code]).toEqual([402, 'PAYMENT_INVALID'])
      expect([facilitator.asked, models.asked, await income()]).toEqual([['verify'], [], 0n])
    })

    it('a payment that is not covered is refused, and good once it is', async () => {
      payer = await newPayer(anvil, 0n)
      const paid = await pay()
      expect((await call(ask, paid)).body.code).toBe('PAYMENT_INVALID')
      await mint(anvil, payer.address, price)
      expect((await call(ask, paid)).status).toBe(200)
      expect(await income()).toBe(price)
    })

    it.each<Trouble>([
      'hangs up',
      { status: 500, body: { error: 'down' } },
      { status: 429, body: { isValid: false } },
      { status: 200, body: 'fine' },
      { status: 404, body: { error: 'no such path' } },
    ])('a payment that cannot be checked stays good: %j', async (trouble) => {
      const paid = await pay()
      facilitator.meets('verify', trouble)
      expect((await call(ask, paid)).status).toBe(502)
      expect(models.asked).toEqual([])
      expect((await call(ask, paid)).status).toBe(200)
      expect(await income()).toBe(price)
    })

    it('a payment that the facilitator refuses by a status is refused', async () => {
      facilitator.meets('verify', { status: 400, body: { isValid: false, invalidReason: 'odd' } })
      const { status, body } = await call(ask, await pay())
      expect([status, body.reason]).toEqual([402, 'odd'])
    })

    it('work that fails costs nothing, and the payment buys another try', async () => {
      const paid = await pay()
      models.serve('openai/gpt-4o-mini', fails(500))
      expect((await call(ask, paid)).status).toBe(502)
      expect([facilitator.asked, await income()]).toEqual([['verify'], 0n])
      models.serve('openai/gpt-4o-mini', says('At last', usage(1, 1)))
      const { status, body } = await call({ ...ask, prompt: 'Something else' }, paid)
      expect([status, body.text, await income()]).toEqual([200, 'At last', price])
    })

    it.each<Trouble>(['hangs up', 'lost', { status: 500, body: {} }, pending])(
      'an answer whose settlement is unknown waits for its payer: %j',
      async (trouble) => {
        const paid = await pay()
        facilitator.meets('settle', trouble)
        const { status, body } = await call(ask, paid)
        expect([status, body.text]).toEqual([502, undefined])
        // It is bound to what it was shown for.
        expect((await call({ ...ask, prompt: 'Another' }, paid)).status).toBe(409)
        const answer = await call(ask, paid)
        expect([answer.status, answer.body.text]).toEqual([200, 'Hello!'])
        expect([models.asked.length, await income()]).toEqual([1, price])
        expect((await call(ask, paid)).body.code).toBe('PAYMENT_USED')
      },
    )

    it('an answer that waits is for who signed, not for who knows payer, nonce and body', async () => {
      const paid = await pay()
      facilitator.meets('settle', 'lost')
      expect((await call(ask, paid)).status).toBe(502)
      const payload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
      payload.payload.signature = `0x${'1'.repeat(128)}1b`
      const forged = { 'payment-signature': encodePaymentSignatureHeader(payload) }
      expect((await call(ask, forged)).body.code).toBe('PAYMENT_USED')
      expect((await call(ask, paid)).body.text).toBe('Hello!')
    })

    it('a settlement that is carried out late, after another was refused, counts', async () => {
      const paid = await pay()
      facilitator.meets('settle', 'hangs up')
      expect((await call(ask, paid)).status).toBe(502)
      const busy = { success: false, errorReason: 'busy', transaction: '', network: 'x' }
      facilitator.meets('settle', { status: 200, body: busy })
      expect((await call(ask, paid)).status).toBe(402)
      const [paymentRequirements] = (await due()).accepts
      const paymentPayload = decodePaymentSignatureHeader(Object.values(paid)[0] ?? '')
      const body = JSON.stringify({ paymentPayload, paymentRequirements })
      const late = await fetch(`${facilitator.url}/settle`, { method: 'POST', body })
      expect(await late.json()).toMatchObject({ success: true })
      const { status, body: told } = await call(ask, paid)
      expect([status, told.text, models.asked.length]).toEqual([200, 'Hello!', 1])
      expect(await income()).toBe(price)
    })

    it('a payment that is not settled buys no answer, and none by being shown again', async () => {
      const paid = await pay()
      const no = {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'x',
      }
      facilitator.meets('settle', { status: 200, body: no })
      const { status, headers, body } = await call(ask, paid)
      expect([status, body.reason, body.text]).toEqual([402, 'insufficient_funds', undefined])
      const receipt = decodePaymentResponseHeader(headers.get('payment-response') ?? '')
      expect(receipt).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
      // The payer spends it elsewhere: that is no settlement of ours.
      facilitator.meets('settle', {
        status: 200,
        body: { ...no, errorReason: 'nonce_already_used' },
      })
      expect((await call(ask, paid)).status).toBe(402)
      expect([models.asked.length, await income()]).toEqual([1, 0n])
      expect((await call(ask, paid)).status).toBe(200)
      expect([models.asked.length, await income()]).toEqual([1, price])
    })

    it('a process may be killed between any two writes: the payer pays once and gets one answer', async () => {
      let kills = 0
      for (let calls = 0; calls < 7; calls++)
        for (const carriedOut of [false, true]) {
          models.asked.length = 0
          models.serve('openai/gpt-4o-mini', (response, asked) =>
            says(`Answer ${models.asked.length}`, usage(1, 1))(response, asked),
          )
          earned = await balanceOf(anvil, payTo)
          const life = lifeOf(
            { ...randomFrom(1), below: () => calls, percent: () => carriedOut },
            true,
          )
          const paid = await pay()
          const dying = callerOf({ table: life(database.table), settings: open(facilitator.url) })
          const first = await dying(ask, paid)
          if (first.status === 500) kills++
          // What a killed process holds is held until its time is over.
          const meanwhile = await call(ask, paid)
          await timeIsOver()
          const later = await call(ask, paid)
          const answers = [first, meanwhile, later].filter(({ status }) => status === 200)
          expect(new Set(answers.map(({ body }) => body.text)).size, `${calls} ${carriedOut}`).toBe(
            1,
          )
          expect([(await call(ask, paid)).status, await income()]).toEqual([409, price])
        }
      expect(kills).toBeGreaterThan(4)
    })

    it('a key is its payer’s: another payment under it is not taken', async () => {
      const key = { 'idempotency-key': 'one' }
      const unpaid = await call(ask, key)
      expect(unpaid.status).toBe(402)
      const first = await call(ask, { ...(await pay()), ...key })
      expect(first.status).toBe(200)
      const again = await call(ask, { ...(await pay()), ...key })
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect([models.asked.length, await income()]).toEqual([1, price])
      const other = await call({ ...ask, prompt: 'Other' }, { ...(await pay()), ...key })
      expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED')
      payer = await newPayer(anvil)
      expect((await call({ ...ask, prompt: 'Other' }, { ...(await pay()), ...key })).status).toBe(
        200,
      )
    })

    it('what was answered is not told to one who only names the payer', async () => {
      const key = { 'idempotency-key': 'two' }
      expect((await call(ask, { ...(await pay()), ...key })).status).toBe(200)
      const { address } = payer
      payer = await newPayer(anvil)
      const posing = await pay((payload) => void (signedFor(payload).from = address))
      expect((await call(ask, { ...posing, ...key })).status).toBe(402)
    })

    it('an answer under a key that was lost is given again, to its payer', async () => {
      const paid = { ...(await pay()), 'idempotency-key': 'three' }
      const table = before(database.table, (name, [, update]) => {
        const { set } = (name === 'update' ? update : {}) as { set?: { state?: string } }
        if (set?.state === 'done') throw new Killed('before the answer is kept')
      })
      const first = await callerOf({ table, settings: open(facilitator.url) })(ask, paid)
      expect(first.status).toBe(500)
      const keyHash = await sha256Hex('three')
      const actor = `payer:${payer.address.toLowerCase()}`
      const key = idempotencyRows.key({ actor, keyHash })
      await database.table.update(key, { set: { lockedUntil: 0 } })
      const again = await call(ask, paid)
      expect([again.status, again.body.text]).toEqual([200, 'Hello!'])
      expect([models.asked.length, await income()]).toEqual([1, price])
    })

    it('models cost no more in a month than is allowed', async () => {
      const capped = { ...open(facilitator.url), X402_SPEND_CAP_USD: '0' }
      const paid = await pay()
      const { status, body } = await callerOf({ settings: capped })(ask, paid)
      expect([status, body.code]).toEqual([503, 'SPEND_CAP_REACHED'])
      expect((await call(ask, paid)).status).toBe(200)
    })

    /** The payment as if the time of every process that held it were over. */
    async function timeIsOver(): Promise<void> {
      const payment = ['eip155:8453', usdc, payer.address, nonce].join('#').toLowerCase()
      await database.table.update(claimRows.key({ payment }), { set: { heldUntil: 0 } })
    }
  },
)

const pending = {
  status: 200,
  body: { success: false, errorReason: 'settlement_pending', transaction: '0x1', network: 'x' },
}

/** What a payment's signature is for. */
function signedFor({ payload }: PaymentPayload): Record<string, string> {
  return payload.authorization as Record<string, string>
}

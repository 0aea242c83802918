import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { usdc } from '#tests/support/x402/paid-gateway.ts'
import { ask, type Shop, startShop } from '#tests/support/x402/sales.ts'

let shop: Shop

beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())
beforeEach(() => shop.reset())

describe('a call of the paid gateway', () => {
  let call: ReturnType<Shop['callerOf']>
  beforeAll(() => {
    call = shop.callerOf({ settings: shop.open('http://127.0.0.1:1') })
  })

  it.each([{}, { plugin: 'mine-gold' }, { plugin: 5 }, { prompt: 'hello' }])(
    'requires an existing plugin: %j',
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
  ])('names the invalid field: %s %#', async (field, more) => {
    const answer = await call({ plugin: 'generate-text', ...more })
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(field)])
    expect(answer.body.code).toBeUndefined()
  })

  it('requires a model of the label plan’s set', async () => {
    const { status, body } = await call({ ...ask, model: 'openai/gpt-4o' })
    expect([status, body.code]).toEqual([403, 'MODEL_RESTRICTED'])
  })

  it('requires an existing agent', async () => {
    const body = { plugin: 'agent', agentId: 'agt_none', message: 'hello' }
    expect((await call(body)).status).toBe(404)
    const { status, body: told } = await call({ ...body, message: ' ' })
    expect([status, told.error]).toEqual([400, 'message required'])
  })

  it('names missing settings before it requires a payment', async () => {
    const bare = shop.callerOf({ settings: shop.withModels() })
    const { status, body } = await bare(ask)
    expect([status, body]).toEqual([
      503,
      {
        error: 'The paid gateway is not configured',
        missing: ['X402_PAY_TO', 'X402_FACILITATOR_URL'],
      },
    ])
    const elsewhere = shop.callerOf({
      settings: { ...shop.open('http://127.0.0.1:1'), EVM_CHAIN_ID: '10' },
    })
    expect((await elsewhere(ask)).body.missing).toEqual(['USDC_ADDRESS'])
  })

  it('is limited per address: 100 in a minute', async () => {
    // Everything happens within one minute.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const limited = shop.callerOf({ settings: shop.withModels(), limits: 'on' })
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

  it('gets the payment requirements in header and body', async () => {
    const { status, headers, body } = await shop.callerOf({
      settings: shop.open('http://127.0.0.1:1'),
    })(ask)
    expect([status, body]).toEqual([402, required])
    expect(decodePaymentRequiredHeader(headers.get('payment-required') ?? '')).toEqual(body)
    expect(shop.models.asked).toEqual([])
  })

  it('gets another price, chain and token if they are configured', async () => {
    const token = pad('0x77', { size: 20 })
    const settings = {
      ...shop.open('http://127.0.0.1:1'),
      X402_PRICE_USD: '1.5',
      EVM_CHAIN_ID: '84532',
      USDC_ADDRESS: token,
    }
    const { body } = await shop.callerOf({ settings })(ask)
    const accepts = [
      { ...required.accepts[0], network: 'eip155:84532', asset: token, amount: '1500000' },
    ]
    expect(body).toEqual({ ...required, accepts })
    const known = { ...settings, USDC_ADDRESS: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' }
    const result = (await shop.callerOf({ settings: known })(ask))
      .body as unknown as PaymentRequired
    expect(result.accepts[0]?.extra).toEqual({ name: 'USDC', version: '2' })
  })
})

import type { ServerResponse } from 'node:http'
import { decodePaymentSignatureHeader } from '@x402/core/http'
import { expect, it } from 'vitest'
import { usdc } from '#tests/support/chains/usdc-chain.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  asset: usdc,
  payTo: sellerAddress,
  amount: '10000',
  maxTimeoutSeconds: 60,
  extra: { name: 'USD Coin', version: '2' },
}

/** Answers every request with a demand, as a seller does that takes the payment and asks again. */
function demand(change: object = {}) {
  const accepts = [{ ...offer, ...change }]
  return (response: ServerResponse) =>
    response
      .writeHead(402, { 'content-type': 'application/json' })
      .end(JSON.stringify({ x402Version: 2, accepts }))
}

const payloadOf = (header: unknown) => {
  const { payload } = decodePaymentSignatureHeader(String(header))
  return payload['authorization'] as Record<string, string>
}

it.each([
  { asset: sellerAddress },
  { network: 'eip155:1' },
  { amount: '-5' },
  { amount: '0' },
  { maxTimeoutSeconds: -1 },
])('a demand of %j is passed back: nothing is held or signed', async (change) => {
  await scene.allow()
  scene.answer = (_request, response) => demand(change)(response)
  const answer = await scene.buy()
  expect([answer.status, answer.headers.get('x-payment-id')]).toEqual([402, null])
  expect(await answer.json()).toMatchObject({ accepts: [change] })
  expect(scene.seen).toHaveLength(1)
  expect(await scene.payments()).toEqual([])
})

it.each(['99999999999999999999', '9'.repeat(78), '9007199254740993'])(
  'an amount of %s is over the mandate',
  async (amount) => {
    await scene.allow({ perPaymentUsd: '1000000000', perDayUsd: '1000000000' })
    scene.answer = (_request, response) => demand({ amount })(response)
    const answer = await scene.buy()
    expect([answer.status, await answer.json()]).toMatchObject([402, { code: 'MANDATE_EXCEEDED' }])
    expect(scene.seen).toHaveLength(1)
    expect(await scene.payments()).toEqual([])
  },
)

it('a seller that asks again after it was paid is paid once, also if its price has grown', async () => {
  await scene.allow()
  let asked = 0
  scene.answer = (_request, response) => demand({ amount: String(10_000 * ++asked) })(response)
  const answer = await scene.buy()
  expect(answer.status).toBe(402)
  expect(await answer.json()).toMatchObject({ accepts: [{ amount: '20000' }] })
  const id = answer.headers.get('x-payment-id')
  expect(scene.seen).toHaveLength(2)
  expect(payloadOf(scene.seen[1]?.headers['payment-signature'])).toMatchObject({ value: '10000' })
  await scene.check()
  expect(await scene.payments()).toMatchObject([{ id, state: 'sent', usd: '0.010000' }])
  expect(await scene.used()).toBe(10_000)
})

it('a payment has the payee and the amount of the first answer, and is valid for at most ten minutes', async () => {
  await scene.allow()
  scene.answer = (request, response) => {
    const isPaid = request.headers['payment-signature'] !== undefined
    const change = isPaid ? { payTo: usdc, amount: '1' } : { maxTimeoutSeconds: 100_000 }
    return demand(change)(response)
  }
  await (await scene.buy()).text()
  const paid = payloadOf(scene.seen[1]?.headers['payment-signature'])
  expect(paid).toMatchObject({ to: sellerAddress, value: '10000', from: scene.agent.wallet })
  const seconds = Number(paid['validBefore']) - Date.now() / 1000
  expect(seconds).toBeGreaterThan(590)
  expect(seconds).toBeLessThanOrEqual(600)
})

it('a paid request is not repeated at the address of a redirect', async () => {
  await scene.allow()
  scene.answer = (request, response) =>
    request.headers['payment-signature'] === undefined
      ? demand()(response)
      : response.writeHead(307, { location: 'https://elsewhere.example/' }).end()
  const answer = await scene.buy()
  expect([answer.status, answer.headers.get('location')]).toEqual([
    307,
    'https://elsewhere.example/',
  ])
  expect(scene.seen).toHaveLength(2)
})

it('the agent’s key and a payment of its own do not reach the host', async () => {
  await scene.allow()
  scene.answer = (_request, response) => response.end('free')
  const headers = {
    'payment-signature': 'x',
    'x-payment': 'y',
    'x-payment-id': 'z',
    'x-own': 'mine',
  }
  await (await scene.buy({ headers })).text()
  expect(scene.seen[0]?.headers).toMatchObject({ 'x-own': 'mine' })
  for (const name of ['authorization', 'payment-signature', 'x-payment', 'x-payment-id'])
    expect(scene.seen[0]?.headers).not.toHaveProperty(name)
})

it.each(['127.0.0.1', '10.0.0.1:443', '169.254.169.254', 'localhost', '[::1]', '2130706433'])(
  'the private host %s is not asked',
  async (host) => {
    await scene.allow()
    const { status } = await scene.pay(`/${host}/paid`)
    expect([400, 403]).toContain(status)
    expect(scene.seen).toEqual([])
  },
)

it('a name that resolves to a private address is not asked', async () => {
  await scene.allow()
  const answer = await scene.pay('/seller.example/paid', {
    over: {
      resolve: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
    },
  })
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { code: 'PAYMENT_HOST_REFUSED' },
  ])
})

it('a body above 256 KB is refused', async () => {
  await scene.allow()
  const body = new Uint8Array(262_145)
  expect((await scene.buy({ method: 'POST', body })).status).toBe(413)
})

it.each([100, 3000, 20_000])(
  'a demand that nests %i levels is passed back: nothing is held or signed',
  async (levels) => {
    await scene.allow()
    const nested = '['.repeat(levels) + ']'.repeat(levels)
    const accepted = JSON.stringify(offer).replace('{', `{"deep":${nested},`)
    scene.answer = (_request, response) =>
      response.writeHead(402).end(`{"x402Version":2,"accepts":[${accepted}]}`)
    const answer = await scene.buy()
    expect([answer.status, await answer.text()]).toEqual([402, expect.stringContaining(nested)])
    expect(scene.seen).toHaveLength(1)
    expect(await scene.payments()).toEqual([])
  },
)

it('a demand with any text is returned to the host in the same words', async () => {
  await scene.allow()
  const words = 'é € 𝒳 \u202e \ud800 "'
  scene.answer = (_request, response) => demand({ words })(response)
  await (await scene.buy()).text()
  const { accepted } = decodePaymentSignatureHeader(
    String(scene.seen[1]?.headers['payment-signature']),
  )
  expect(accepted).toMatchObject({ words })
})

it.each(['=1+1.example.com', "a'b.example.com", 'a,b.example.com', '[2606:4700::1111]'])(
  'the host %s is not the name of a host',
  async (host) => {
    await scene.allow()
    expect((await scene.pay(`/${host}/paid`)).status).toBe(400)
  },
)

it('a demand without end is cut off', async () => {
  await scene.allow()
  scene.answer = (_request, response) => {
    response.writeHead(402)
    const more = () => {
      while (response.write('x'.repeat(10_000)));
      response.once('drain', more)
    }
    more()
  }
  const answer = await scene.buy()
  expect(answer.status).toBe(502)
})

it('a host that does not answer: 504, after the payment with its id', async () => {
  await scene.allow()
  scene.answer = () => {}
  const over = { idleMs: 50 }
  const first = await scene.buy({ over })
  expect([first.status, await first.json()]).toEqual([
    504,
    { error: 'The host did not answer in time', code: 'PAYMENT_HOST_TIMEOUT' },
  ])
  expect(await scene.payments()).toEqual([])
  scene.answer = (request, response) =>
    request.headers['payment-signature'] === undefined && demand()(response)
  const paid = await scene.buy({ over })
  const id = paid.headers.get('x-payment-id')
  expect([paid.status, await paid.json()]).toMatchObject([
    504,
    { code: 'PAYMENT_HOST_TIMEOUT', paymentId: id },
  ])
  expect(await scene.payments()).toMatchObject([{ id, state: 'sent' }])
})

it('of several demands, the cheapest to a payee of the mandate is paid', async () => {
  await scene.allow({ payees: [sellerAddress] })
  const accepts = [
    { ...offer, amount: '30000' },
    { ...offer, amount: '20000' },
    { ...offer, amount: '10000', payTo: usdc },
    { ...offer, amount: '1', network: 'eip155:1' },
  ]
  scene.answer = (_request, response) =>
    response.writeHead(402).end(JSON.stringify({ x402Version: 2, accepts }))
  await (await scene.buy()).text()
  expect(payloadOf(scene.seen[1]?.headers['payment-signature'])).toMatchObject({
    to: sellerAddress,
    value: '20000',
  })
  expect(await scene.payments()).toMatchObject([{ usd: '0.020000' }])
})

it('a host that breaks off after the payment: the payment counts, and the error has its id', async () => {
  await scene.allow()
  scene.answer = (request, response) =>
    request.headers['payment-signature'] === undefined ? demand()(response) : response.destroy()
  const answer = await scene.buy()
  expect(answer.status).toBe(502)
  const id = answer.headers.get('x-payment-id')
  expect(await answer.json()).toMatchObject({ code: 'PAYMENT_HOST_UNREACHABLE', paymentId: id })
  expect(await scene.payments()).toMatchObject([{ id, state: 'sent' }])
})

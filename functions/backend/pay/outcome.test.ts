import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { usdc } from '#tests/support/chains/usdc-chain.ts'
import { killedProcess } from '#tests/support/platform/killed-process.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

/** The seller asks for a payment and does not settle it. */
const takesNothing = async () => {
  scene.facilitator.meets('settle', { status: 500, body: {} })
  const answer = await scene.buy()
  await answer.text()
  return answer
}

it('an amount that was not taken counts until the chain is past its validity, and is then returned once', async () => {
  await scene.allow()
  await takesNothing()
  await scene.check()
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  await scene.pass(30)
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  expect(await scene.used()).toBe(10_000)
  await scene.pass(90)
  expect(await scene.payments()).toMatchObject([{ state: 'returned', txHash: null }])
  expect(await scene.used()).toBe(0)
  await scene.pass(4000)
  expect(await scene.used()).toBe(0)
})

it('the clock of the platform alone returns nothing', async () => {
  await scene.allow()
  await takesNothing()
  scene.ahead += 10_000_000
  await scene.tick()
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  expect(await scene.used()).toBe(10_000)
})

it('a node that does not answer returns nothing', async () => {
  await scene.allow()
  await takesNothing()
  await scene.check({ rpcUrl: 'http://127.0.0.1:1' })
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  await scene.pass(4000)
  expect(await scene.payments()).toMatchObject([{ state: 'returned' }])
})

it('a payment that is settled without an answer is found on the chain', async () => {
  await scene.allow()
  scene.facilitator.meets('settle', 'lost')
  const answer = await scene.buy()
  expect(answer.status).not.toBe(200)
  await answer.text()
  await scene.check()
  expect(await scene.payments()).toMatchObject([
    { state: 'settled', txHash: expect.stringMatching(/^0x/) },
  ])
  expect(await scene.used()).toBe(10_000)
})

it.each([false, true])(
  'a process that dies between the host’s answer and its record: the payment is made once, and found on the chain (%s)',
  async (isLastCarriedOut) => {
    await scene.allow()
    const headers = { 'idempotency-key': 'once' }
    const life = killedProcess({
      calls: 0,
      isLastCarriedOut,
      counts: () => scene.seller.sold > 0,
    })
    const over = {
      table: life.reach(scene.accounts.table),
      queues: life.reach(scene.queues),
      signer: life.reach(scene.signer),
    }
    await (await scene.buy({ headers, over })).text()
    expect([life.isKilled(), scene.seller.sold, scene.sent]).toEqual([true, 1, []])
    expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
    const again = await scene.buy({ headers })
    await again.text()
    expect(scene.seller.payments.filter((one, i, all) => all.indexOf(one) === i)).toHaveLength(1)
    await scene.pass(120)
    expect(await scene.payments()).toMatchObject([{ state: 'settled' }])
    expect([scene.seller.sold, await scene.used()]).toEqual([1, 10_000])
  },
)

it('a lost message is sent again by the tick', async () => {
  await scene.allow()
  await (await scene.buy()).text()
  scene.sent.length = 0
  await scene.pass(120)
  expect(await scene.payments()).toMatchObject([{ state: 'settled' }])
})

it('a mandate that is lowered while a payment is out counts the payment', async () => {
  await scene.allow()
  await takesNothing()
  await scene.allow({ perDayUsd: '0.015' })
  const refused = await scene.buy()
  expect([refused.status, await refused.json()]).toMatchObject([
    402,
    { code: 'MANDATE_EXCEEDED', of: 'day', limit: '0.015', used: '0.01', asked: '0.01' },
  ])
  await scene.pass(4000)
  expect((await scene.buy()).status).toBe(200)
})

it('a deleted mandate pays nothing, and a new one does not begin at 0', async () => {
  await scene.allow()
  await (await scene.buy()).text()
  await scene.call('DELETE', '/mandate')
  expect((await scene.buy()).status).toBe(402)
  await scene.allow({ perDayUsd: '0.01' })
  const refused = await scene.buy()
  expect(await refused.json()).toMatchObject({ code: 'MANDATE_EXCEEDED', used: '0.01' })
})

it('a retry with the same Idempotency-Key sends the same payment, and another request is refused', async () => {
  await scene.allow()
  const headers = { 'idempotency-key': 'once' }
  const first = await takesNothingWith(headers)
  const again = await scene.buy({ headers })
  expect([again.status, await again.text()]).toEqual([200, 'the goods'])
  expect(again.headers.get('x-payment-id')).toBe(first.headers.get('x-payment-id'))
  const [one, two] = scene.seller.payments
  expect(one).toBe(two)
  expect(await scene.payments()).toHaveLength(1)
  const other = await scene.buy({ headers, method: 'POST', body: 'x' })
  expect([other.status, await other.json()]).toMatchObject([
    409,
    { code: 'IDEMPOTENCY_KEY_REUSED' },
  ])
})

it('a retry with the same Idempotency-Key after the validity of the payment is refused', async () => {
  await scene.allow()
  const headers = { 'idempotency-key': 'late' }
  await takesNothingWith(headers)
  await scene.pass(4000)
  expect(await scene.payments()).toMatchObject([{ state: 'returned' }])
  const late = await scene.buy({ headers })
  expect([late.status, await late.json()]).toMatchObject([409, { code: 'PAYMENT_EXPIRED' }])
  expect(await scene.payments()).toHaveLength(1)
  expect(scene.seller.payments).toHaveLength(1)
})

it('an amount counts on the UTC day of its hold, also if it is settled on the next day', async () => {
  await scene.allow({ perDayUsd: '0.015' })
  await (await scene.buy()).text()
  expect((await scene.buy()).status).toBe(402)
  scene.ahead += 86_400_000
  await scene.check()
  expect(await scene.payments()).toMatchObject([{ state: 'settled' }])
  expect((await scene.buy()).status).toBe(200)
  expect((await scene.buy()).status).toBe(402)
})

it('the hashes of the demand, the receipt and the answer of a payment are stored', async () => {
  await scene.allow()
  const offer = {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: usdc,
    payTo: sellerAddress,
    amount: '10000',
    maxTimeoutSeconds: 60,
  }
  const demand = JSON.stringify({ x402Version: 2, accepts: [offer] })
  scene.answer = (request, response) =>
    request.headers['payment-signature'] === undefined
      ? response.writeHead(402).end(demand)
      : response.writeHead(201, { 'payment-response': 'the receipt' }).end('the goods')
  await (await scene.buy()).text()
  const { items } = await scene.accounts.table.query({
    pk: `payer#${scene.agent.agentId}`,
    beginsWith: 'agent-payment#',
  })
  const [demandHash, receiptHash, bodyHash] = [demand, 'the receipt', 'the goods'].map((text) =>
    createHash('sha256').update(text).digest('hex'),
  )
  expect(items).toMatchObject([{ demandHash, answer: { status: 201, receiptHash, bodyHash } }])
})

async function takesNothingWith(headers: Record<string, string>) {
  scene.facilitator.meets('settle', { status: 500, body: {} })
  const answer = await scene.buy({ headers })
  await answer.text()
  return answer
}

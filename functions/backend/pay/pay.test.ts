import { expect, it } from 'vitest'
import { paymentsCap } from '#shared/network/agent-payments/context.ts'
import { agentWithKey } from '#tests/support/tools/broker.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

it('an agent pays a seller within its mandate, and the chain settles it', async () => {
  await scene.allow()
  const answer = await scene.buy()
  expect([answer.status, await answer.text()]).toEqual([200, 'the goods'])
  const id = answer.headers.get('x-payment-id')
  expect(await scene.payments()).toEqual([
    {
      id,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      host: scene.host,
      payee: sellerAddress,
      usd: '0.010000',
      state: 'sent',
      txHash: null,
      approvalId: null,
    },
  ])
  await scene.check()
  expect(await scene.payments()).toMatchObject([
    { id, state: 'settled', txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  ])
  expect(scene.seller.sold).toBe(1)
  expect(await scene.used()).toBe(10_000)
})

it('a free answer passes unrecorded, with its redirects', async () => {
  await scene.allow()
  expect(await (await scene.pay(`/${scene.host}/free`)).text()).toBe('free')
  scene.answer = (_request, response) =>
    response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
  const moved = await scene.pay(`/${scene.host}/moved`)
  expect([moved.status, moved.headers.get('location')]).toEqual([302, 'https://elsewhere.example/'])
  expect(scene.seen).toHaveLength(2)
  expect(await scene.payments()).toEqual([])
})

it('without a mandate nothing is paid and no host is asked', async () => {
  const answer = await scene.buy()
  expect([answer.status, await answer.json()]).toEqual([
    402,
    { error: 'The agent has no mandate to pay', code: 'MANDATE_REQUIRED' },
  ])
  expect(scene.seen).toEqual([])
})

it('an agent without a wallet pays nothing', async () => {
  const { table } = scene.accounts
  const { user } = scene.agent
  const poor = { ...(await agentWithKey(table, user.id)), user, wallet: '' }
  await scene.allow({}, poor)
  const answer = await scene.buy({ key: poor.key })
  expect([answer.status, await answer.json()]).toEqual([
    409,
    { error: 'The agent has no wallet: create one and fund it', code: 'WALLET_REQUIRED' },
  ])
  expect(scene.seller.payments).toEqual([])
})

it.each([
  [{ hosts: [] }, 'hosts', 0],
  [{ hosts: ['other.example'] }, 'hosts', 0],
  [{ validUntil: '2020-01-01T00:00:00Z' }, 'validUntil', 0],
  [{ payees: [] }, 'payees', 1],
  [{ payees: ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'] }, 'payees', 1],
])('a mandate of %j refuses the payment by %s', async (change, field, asked) => {
  await scene.allow(change)
  const answer = await scene.buy()
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ code: 'MANDATE_REFUSED', field })
  expect(scene.seen).toHaveLength(asked)
  expect(scene.seller.payments).toEqual([])
})

it.each([
  [{ perPaymentUsd: '0.009999' }, { of: 'payment', limit: '0.009999', used: '0', asked: '0.01' }],
  [{ perDayUsd: '0.009' }, { of: 'day', limit: '0.009', used: '0', asked: '0.01' }],
  [{ perMonthUsd: '0' }, { of: 'month', limit: '0', used: '0', asked: '0.01' }],
])('a mandate of %j is exceeded', async (change, details) => {
  await scene.allow(change)
  const answer = await scene.buy()
  expect(answer.status).toBe(402)
  expect(await answer.json()).toMatchObject({ code: 'MANDATE_EXCEEDED', ...details })
  expect(await scene.payments()).toEqual([])
})

it('two payments at the edge of the mandate: one is made', async () => {
  await scene.allow({ perDayUsd: '0.015' })
  const answers = await Promise.all([scene.buy(), scene.buy(), scene.buy()])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 402, 402])
  await Promise.all(answers.map((answer) => answer.text()))
  expect(scene.seller.sold).toBe(1)
  expect(await scene.used()).toBe(10_000)
})

it.each([
  [{ deployed: true }, 100],
  [{ deployed: true, AGENT_PAYMENTS_CAP_USD_PER_DAY: 0 }, 0],
  [{ deployed: false }, undefined],
])('a stage of %j has a ceiling of %j USD a day', (config, capUsd) => {
  expect(paymentsCap(config)).toBe(capUsd)
})

it.each([0.005, 0])(
  'the ceiling of the operator holds for all agents together: %d USD',
  async (capUsd) => {
    await scene.allow()
    // Payments of other tests of this file count too.
    const none = await scene.buy({ over: { capUsd } })
    expect([none.status, await none.json()]).toMatchObject([429, { code: 'PAYMENTS_CAP_REACHED' }])
    expect(none.headers.get('x-should-retry')).toBe('false')
    expect(await scene.used()).toBe(0)
  },
)

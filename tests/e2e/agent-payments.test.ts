import { afterAll, beforeAll, expect, it } from 'vitest'
import { askFor } from '../../agent/gateway/testing/played-bus.ts'
import { say, Upstream } from '../../agent/gateway/testing/upstream.ts'
import { balanceOf } from '../support/chains/usdc-chain.ts'
import { eventually } from '../support/clock/eventually.ts'
import { call, type TestUser } from '../support/http/client.ts'
import { type OwnStack, startOwnStack } from '../support/stack/stack-process.ts'
import { sellerAddress } from '../support/x402/seller.ts'
import { type Market, startMarket } from '../support/x402/start-market.ts'

/** Buys at the URL that a prompt consists of, and repeats the result. Other prompts get an answer alone. */
const model = await Upstream.start()

let market: Market
let stack: OwnStack
let owner: TestUser
let agentId: string
let wallet: string

model.reply = (response, { body: { messages } }) => {
  const last = messages.at(-1)
  if (last?.role === 'user' && last.content.startsWith('https://'))
    return askFor(response, { name: 'buy', given: { url: last.content } })
  return say(response, last?.role === 'tool' ? last.content : 'Thank you.')
}

const web = (path: string, body?: unknown, method?: string) =>
  call(`${stack.now().web}${path}`, {
    headers: owner.session,
    body,
    ...(method !== undefined && { method }),
  })

async function allow(change: object = {}): Promise<void> {
  const amounts = { perPaymentUsd: '0.05', perDayUsd: '1', perMonthUsd: '10' }
  const mandate = { ...amounts, hosts: [market.host], ...change }
  expect((await web(`/api/agents/${agentId}/mandate`, mandate, 'PUT')).status).toBe(200)
}

const payments = async () =>
  (await web(`/api/agents/${agentId}/payments`)).body.payments as Record<string, unknown>[]

/** Asks the agent to buy. @returns the result of the tool */
async function buy(topic: string): Promise<Record<string, unknown>> {
  const message = `https://${market.host}/paid?for=${topic}`
  const turn = await stack.chat(owner, { agentId, topic, message })
  expect(turn.status).toBe(200)
  return (JSON.parse(String(turn.body.reply)) as { result: Record<string, unknown> }).result
}

/** Returns what the agent's wallet has paid, in millionths of USDC. */
const spent = async () => 100_000_000n - (await balanceOf(market.chain, wallet))

beforeAll(async () => {
  market = await startMarket()
  stack = await startOwnStack({
    AI_BASE_URL: model.baseUrl,
    AI_API_KEY: 'key-of-the-model',
    ...market.settings,
  })
  owner = await stack.newSubscriber()
  agentId = await stack.runningAgent(owner)
  const { body } = await web('/api/wallet/create', { agentId })
  wallet = String(body.address)
  await market.fund(wallet)
  await web(`/api/agents/${agentId}/config`, { config: { mcp: true } }, 'PUT')
  await stack.lifecycle(owner, agentId, 'restart')
  await stack.untilStatus(owner, agentId, 'running')
})
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await market?.close()
  await model[Symbol.asyncDispose]()
})

it('an agent buys within its mandate, once, and its model gets the answer', async () => {
  await allow()
  const result = await buy('tea')
  expect(result).toMatchObject({
    status: 200,
    body: 'the goods',
    paymentId: expect.stringMatching(/^apy_/),
  })
  expect(await spent()).toBe(10_000n)
  await eventually(async () =>
    expect(await payments()).toMatchObject([
      {
        id: result['paymentId'],
        host: market.host,
        payee: sellerAddress,
        usd: '0.010000',
        state: 'settled',
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        approvalId: null,
      },
    ]),
  )
})

it('a payment above askAboveUsd waits for a person, and its answer is the next turn of the same session', async () => {
  await allow({ askAboveUsd: '0.005' })
  const before = (await payments()).length
  const { state, approvalId } = await buy('cake')
  expect(state).toBe('pending')
  expect((await web('/api/approvals?state=pending')).body.approvals).toMatchObject([
    { id: approvalId, agentId, action: 'payment.send', summary: expect.stringContaining('0.01') },
  ])
  expect([await spent(), (await payments()).length]).toEqual([10_000n, before])

  const decided = await web(`/api/approvals/${approvalId}`, { decision: 'approve' })
  expect([decided.status, decided.body.state]).toEqual([200, 'approved'])
  await eventually(async () => {
    const { messages } = (await web(`/api/chat?agentId=${agentId}&topic=cake`)).body
    expect((messages as object[]).slice(2)).toMatchObject([
      { sender: 'user', content: expect.stringMatching(/carried out[\s\S]*the goods/) },
      { sender: 'agent', content: 'Thank you.' },
    ])
  })
  const told = model.calls.filter(({ body: { messages } }) =>
    messages.at(-1)?.content.includes(`approval ${String(approvalId)}`),
  )
  expect(told).toHaveLength(1)
  expect((await web(`/api/approvals/${approvalId}`)).body).toMatchObject({
    state: 'done',
    result: { status: 200, body: 'the goods' },
  })
  expect([await spent(), market.seller.sold]).toEqual([20_000n, 2])
  await eventually(async () => {
    const [newest, ...rest] = await payments()
    expect(newest).toMatchObject({ approvalId, state: 'settled', usd: '0.010000' })
    expect(rest).toHaveLength(before)
  })
})

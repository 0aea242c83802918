import { pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../../shared/agents/agent.ts'
import { type Accounts, startAccounts } from '../../../tests/support/accounts.ts'
import { putAgent } from '../../../tests/support/chat.ts'
import { paidGateway } from '../../../tests/support/paid-gateway.ts'
import { ownTimeouts, passTime } from '../../../tests/support/time.ts'
import { answers, startX402Upstream } from '../../../tests/support/x402-upstream.ts'

const walletAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const recipient = pad('0xca', { size: 20 })

let accounts: Accounts
let upstream: Awaited<ReturnType<typeof startX402Upstream>>
let ada: { id: string; session: string }
let eve: { id: string; session: string }
let agent: Agent

beforeAll(async () => {
  ;[accounts, upstream] = await Promise.all([startAccounts(), startX402Upstream()])
  ;[ada, eve] = await Promise.all([accounts.signUp('ada@b.co'), accounts.signUp('eve@b.co')])
  agent = await putAgent(accounts.table, ada.id, {})
})
afterAll(() => Promise.all([accounts.close(), upstream.close()]))
beforeEach(() => upstream.reset())

interface Options {
  session?: string
  headers?: Record<string, string>
}

/** The routes over the gateway of this file, or the one of a test's choice. */
function callerOf(gatewayUrl: string | undefined) {
  const app = paidGateway({ table: accounts.table, gatewayUrl })
  return async (body?: object, { session, headers }: Options = {}) => {
    const answer = await app.request('/api/x402', {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session !== undefined && { cookie: `service-session=${session}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
}

const call = (body?: object, options?: Options) => callerOf(upstream.url)(body, options)
const post = (body: object, headers = {}) => call(body, { session: ada.session, headers })
const dead = 'http://127.0.0.1:1'

const join = () => ({ action: 'join-colony', agentId: agent.id, walletAddress })
const pay = () => ({
  action: 'pay',
  agentId: agent.id,
  amount: '1.5',
  currency: 'USDC',
  recipient,
  endpoint: 'summarize',
  method: 'exact',
})

const newcomer = { success: true, score: 50, tier: 'new', details: null }
const basic = {
  success: true,
  agentId: 'a/b',
  tier: 'basic',
  pricing: { rate: 0.01, discount: 0 },
  fitness: { score: 50, tier: 'new' },
}
const builtIn = {
  success: true,
  endpoints: [
    { slug: 'gateway/colony/join', description: expect.any(String), price: 'free' },
    { slug: 'gateway/fitness/:agentId', description: expect.any(String), price: 'free' },
    { slug: 'gateway/pricing/:agentId', description: expect.any(String), price: 'free' },
    { slug: 'gateway/pay', description: expect.any(String), price: 'variable' },
  ],
}

describe('the gateway’s health', () => {
  it('is what the gateway says, and where it is', async () => {
    upstream.serve('/health', answers(200, { status: 'ok', agents: 3, gateway: 'elsewhere' }))
    expect(await call()).toEqual({
      status: 200,
      body: { status: 'ok', agents: 3, gateway: upstream.url },
    })
  })

  it('does not show a password of the gateway', async () => {
    upstream.serve('/health', answers(200, { status: 'ok' }))
    const { body } = await callerOf(upstream.url.replace('//', '//user:secret@'))()
    expect(body.gateway).toBe(upstream.url)
  })

  it.each<[string, () => string]>([
    ['is not there', () => dead],
    ['fails', () => (upstream.serve('/health', answers(500, { status: 'bad' })), upstream.url)],
    ['says no JSON', () => (upstream.serve('/health', answers(200, '<p>')), upstream.url)],
    ['says a list', () => (upstream.serve('/health', answers(200, [])), upstream.url)],
  ])('of one that %s is 503', async (_, prepare) => {
    const gateway = prepare()
    expect(await callerOf(gateway)()).toEqual({
      status: 503,
      body: { gateway, status: 'unreachable', error: expect.any(String) },
    })
  })

  it('of one that is not configured is 503 and says what is missing', async () => {
    expect(await callerOf(undefined)()).toEqual({
      status: 503,
      body: {
        gateway: null,
        status: 'unreachable',
        error: 'The x402 gateway is not configured',
        missing: ['X402_GATEWAY_URL'],
      },
    })
  })
})

describe('an action', () => {
  it('that is none is 400, for anyone', async () => {
    for (const body of [{}, { action: 'steal', agentId: agent.id }])
      expect(await call(body)).toEqual({
        status: 400,
        body: { error: 'Invalid action. Use: join-colony, fitness, pricing, endpoints, or pay' },
      })
  })

  it.each(['join-colony', 'fitness', 'pricing', 'pay'])('%s takes a session', async (action) => {
    const answer = await call({ action, agentId: agent.id })
    expect(answer).toEqual({ status: 401, body: { error: 'Authentication required' } })
    expect(upstream.asked).toEqual([])
  })

  it.each(['join-colony', 'fitness', 'pricing', 'pay'])('%s takes an agent', async (action) => {
    for (const body of [{ action }, { action, agentId: '' }])
      expect(await post(body)).toEqual({ status: 400, body: { error: 'agentId required' } })
  })

  it.each([
    [join, 'walletAddress'],
    [pay, 'amount'],
    [pay, 'currency'],
    [pay, 'recipient'],
  ])('names the field that is missing: %s %s', async (ask, field) => {
    const { status, body } = await post({ ...ask(), [field]: undefined })
    expect([status, body.error]).toEqual([400, `${field} required`])
  })

  it.each([
    [join, 'walletAddress', '0x12'],
    [join, 'walletAddress', walletAddress.replace('5a', '5A')],
    [pay, 'recipient', walletAddress.replace('0x', '')],
    [pay, 'amount', '1e3'],
    [pay, 'amount', '-1'],
    [pay, 'amount', 5],
    [join, 'agentId', '..'],
  ])('names the field that is wrong: %s %s %s', async (ask, field, value) => {
    const { status, body } = await post({ ...ask(), [field]: value })
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    expect(upstream.asked).toEqual([])
  })

  it.each([join, pay])('%s is for agents of one’s own', async (ask) => {
    const theirs = await call(ask(), { session: eve.session })
    expect(theirs).toEqual({ status: 404, body: { error: 'Agent not found' } })
    expect((await post({ ...ask(), agentId: 'agt_nobody' })).status).toBe(404)
    expect(upstream.asked).toEqual([])
  })

  it('without a gateway is 503, but for the built-in list', async () => {
    const apart = callerOf(undefined)
    for (const body of [
      join(),
      pay(),
      { action: 'fitness', agentId: 'a' },
      { ...pay(), agentId: 'a' },
    ])
      expect(await apart(body, { session: ada.session })).toEqual({
        status: 503,
        body: { error: 'The x402 gateway is not configured', missing: ['X402_GATEWAY_URL'] },
      })
    expect(await apart({ action: 'endpoints' })).toEqual({ status: 200, body: builtIn })
  })
})

describe('reading', () => {
  it('fitness is what the gateway says of it', async () => {
    const said = { score: 81, tier: 'elite', details: { prediction: 0.5, execution: 1, x: 2 } }
    upstream.serve('/gateway/fitness/a%2Fb', answers(200, { ...said, more: 'than is asked' }))
    expect(await post({ action: 'fitness', agentId: 'a/b' })).toEqual({
      status: 200,
      body: { ...said, details: { prediction: 0.5, execution: 1 } },
    })
  })

  it('prices are what the gateway says of them', async () => {
    const said = {
      tier: 'gold',
      pricing: { rate: 0.005, discount: 20 },
      fitness: { score: 70, tier: 'gold' },
    }
    upstream.serve('/gateway/pricing/a%2Fb', answers(200, { ...said, agentId: 'another' }))
    const answer = await post({ action: 'pricing', agentId: 'a/b' })
    expect(answer).toEqual({ status: 200, body: { ...said, agentId: 'a/b' } })
  })

  it('endpoints are what the gateway lists, for anyone', async () => {
    const endpoints = [{ slug: 'x', description: 'X', price: '0.01 USDC' }]
    upstream.serve('/gateway/endpoints', answers(200, { endpoints }))
    const answer = await call({ action: 'endpoints' })
    expect(answer).toEqual({ status: 200, body: { success: true, endpoints } })
  })

  describe.each<[string, unknown, object]>([
    ['fitness', newcomer, { details: 'none' }],
    ['pricing', basic, { tier: 'gold' }],
    ['endpoints', builtIn, { endpoints: 'none' }],
  ])('%s has its fallback where the gateway', (action, fallback, odd) => {
    const path = action === 'endpoints' ? '/gateway/endpoints' : `/gateway/${action}/a%2Fb`
    const ask = { action, agentId: 'a/b' }

    it('is not there', async () => {
      const answer = await callerOf(dead)(ask, { session: ada.session })
      expect(answer).toEqual({ status: 200, body: fallback })
    })

    it.each<[string, ReturnType<typeof answers>]>([
      ['fails', answers(500, { error: 'down' })],
      ['leads elsewhere', answers(302, {})],
      ['says no JSON', answers(200, 'fine')],
      ['says something else', answers(200, odd)],
      ['says too much', answers(200, JSON.stringify({ text: 'x'.repeat(1_100_000) }))],
    ])('%s', async (_, behaviour) => {
      upstream.serve(path, behaviour)
      expect(await post(ask)).toEqual({ status: 200, body: fallback })
    })

    it('says nothing for ten seconds', async () => {
      ownTimeouts()
      const reached = Promise.withResolvers<void>()
      upstream.serve(path, () => reached.resolve())
      let waits = true
      const answer = post(ask).finally(() => (waits = false))
      await reached.promise
      let ms = 0
      await passTime(
        () => waits,
        100,
        () => void (ms += 100),
      )
      expect([ms, await answer]).toEqual([10_000, { status: 200, body: fallback }])
    })
  })
})

describe.each([
  ['join-colony', join, '/gateway/colony/join', 10_000],
  ['pay', pay, '/gateway/pay', 15_000],
] as const)('%s', (_, ask, path, timeoutMs) => {
  it('passes on what is asked, and what the gateway answers', async () => {
    upstream.serve(path, answers(201, { receipt: 'r1' }))
    expect(await post(ask())).toEqual({ status: 201, body: { success: true, receipt: 'r1' } })
    const { action: _action, ...fields } = ask()
    expect(upstream.asked).toMatchObject([{ method: 'POST', path, body: fields }])
    upstream.serve(path, answers(402, { error: 'too little' }))
    const refused = await post(ask())
    expect(refused).toEqual({ status: 402, body: { success: false, error: 'too little' } })
  })

  it.each<[string, ReturnType<typeof answers>]>([
    ['says no JSON', answers(200, 'fine')],
    ['leads elsewhere', answers(307, {})],
    ['says too much', answers(200, JSON.stringify({ text: 'x'.repeat(1_100_000) }))],
    ['breaks off', (response) => response.destroy()],
  ])('is 500 where the gateway %s', async (_name, behaviour) => {
    upstream.serve(path, behaviour)
    expect(await post(ask())).toEqual({ status: 500, body: { error: 'x402 gateway error' } })
  })

  it('is 500 where the gateway says nothing in its time', async () => {
    ownTimeouts()
    const reached = Promise.withResolvers<void>()
    upstream.serve(path, () => reached.resolve())
    let waits = true
    const answer = post(ask()).finally(() => (waits = false))
    await reached.promise
    let ms = 0
    await passTime(
      () => waits,
      100,
      () => void (ms += 100),
    )
    expect([ms, (await answer).status]).toEqual([timeoutMs, 500])
  })

  it('happens once under a key, also where its answer was lost', async () => {
    const key = { 'idempotency-key': `once ${path}` }
    upstream.serve(path, (response) => response.destroy())
    expect((await post(ask(), key)).status).toBe(500)
    upstream.serve(path, answers(200, { receipt: 'r2' }))
    const first = await post(ask(), key)
    expect(await post(ask(), key)).toEqual(first)
    // The gateway is asked again under the same key of its own, and knows the request by it.
    const keys = upstream.asked.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0]])
    expect((await post({ ...ask(), method: 'other' }, key)).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    )
  })
})

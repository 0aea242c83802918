import { pad } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { onWorkerd } from '#tests/support/http/carrier.ts'
import { builtIn, startX402Caller, type X402Caller } from '#tests/support/x402/caller.ts'
import { answers } from '#tests/support/x402/upstream.ts'

const walletAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const recipient = pad('0xca', { size: 20 })

let x402: X402Caller

beforeAll(async () => {
  x402 = await startX402Caller()
})
afterAll(() => x402.close())
beforeEach(() => x402.upstream.reset())

const join = () => ({ action: 'join-colony', agentId: x402.agent.id, walletAddress })
const pay = () => ({
  action: 'pay',
  agentId: x402.agent.id,
  amount: '1.5',
  currency: 'USDC',
  recipient,
  endpoint: 'summarize',
  method: 'exact',
})

describe('an action', () => {
  it('an action that is unknown returns 400, to anyone', async () => {
    for (const body of [{}, { action: 'steal', agentId: x402.agent.id }])
      expect(await x402.call(body)).toEqual({
        status: 400,
        body: { error: 'Invalid action. Use: join-colony, fitness, pricing, endpoints, or pay' },
      })
  })

  it.each(['join-colony', 'fitness', 'pricing', 'pay'])('%s requires a session', async (action) => {
    const answer = await x402.call({ action, agentId: x402.agent.id })
    expect(answer).toEqual({ status: 401, body: { error: 'Authentication required' } })
    expect(x402.upstream.asked).toEqual([])
  })

  it.each(['join-colony', 'fitness', 'pricing', 'pay'])('%s requires an agent', async (action) => {
    for (const body of [{ action }, { action, agentId: '' }])
      expect(await x402.post(body)).toEqual({ status: 400, body: { error: 'agentId required' } })
  })

  it.each([
    [join, 'walletAddress'],
    [pay, 'amount'],
    [pay, 'currency'],
    [pay, 'recipient'],
  ])('names the missing field: %s %s', async (ask, field) => {
    const { status, body } = await x402.post({ ...ask(), [field]: undefined })
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
  ])('names the invalid field: %s %s %s', async (ask, field, value) => {
    const { status, body } = await x402.post({ ...ask(), [field]: value })
    expect([status, body.error]).toEqual([400, expect.stringContaining(field)])
    expect(x402.upstream.asked).toEqual([])
  })

  it.each([join, pay])('%s is limited to one’s own agents', async (ask) => {
    const theirs = await x402.call(ask(), { session: x402.eve.session })
    expect(theirs).toEqual({ status: 404, body: { error: 'Agent not found' } })
    expect((await x402.post({ ...ask(), agentId: 'agt_nobody' })).status).toBe(404)
    expect(x402.upstream.asked).toEqual([])
  })

  it('an action without a gateway returns 503, except the built-in list', async () => {
    const apart = x402.callerOf(undefined)
    for (const body of [
      join(),
      pay(),
      { action: 'fitness', agentId: 'a' },
      { ...pay(), agentId: 'a' },
    ])
      expect(await apart(body, { session: x402.ada.session })).toEqual({
        status: 503,
        body: { error: 'The x402 gateway is not configured', missing: ['X402_GATEWAY_URL'] },
      })
    expect(await apart({ action: 'endpoints' })).toEqual({ status: 200, body: builtIn })
  })
})

describe.each([
  ['join-colony', join, '/gateway/colony/join', 10_000],
  ['pay', pay, '/gateway/pay', 15_000],
] as const)('%s', (_, ask, path, timeoutMs) => {
  it('forwards the request, and returns the gateway’s response', async () => {
    x402.upstream.serve(path, answers(201, { receipt: 'r1' }))
    expect(await x402.post(ask())).toEqual({ status: 201, body: { success: true, receipt: 'r1' } })
    const { action: _action, ...fields } = ask()
    expect(x402.upstream.asked).toMatchObject([{ method: 'POST', path, body: fields }])
    x402.upstream.serve(path, answers(402, { error: 'too little' }))
    const refused = await x402.post(ask())
    expect(refused).toEqual({ status: 402, body: { success: false, error: 'too little' } })
  })

  it.each<[string, ReturnType<typeof answers>]>([
    ['returns invalid JSON', answers(200, 'fine')],
    ['redirects', answers(307, {})],
    ['exceeds the response size', answers(200, JSON.stringify({ text: 'x'.repeat(1_100_000) }))],
    ['interrupts its response', (response) => response.destroy()],
  ])('returns 500 if the gateway %s', async (_name, behaviour) => {
    x402.upstream.serve(path, behaviour)
    expect(await x402.post(ask())).toEqual({ status: 500, body: { error: 'x402 gateway error' } })
  })

  it.skipIf(onWorkerd)('returns 500 if the gateway times out', async () => {
    ownTimeouts()
    const reached = Promise.withResolvers<void>()
    x402.upstream.serve(path, () => reached.resolve())
    let waits = true
    const answer = x402.post(ask()).finally(() => (waits = false))
    await reached.promise
    let ms = 0
    await passTime(
      () => waits,
      100,
      () => void (ms += 100),
    )
    expect([ms, (await answer).status]).toEqual([timeoutMs, 500])
  })

  it('runs once under a key, even if its response was lost', async () => {
    const key = { 'idempotency-key': `once ${path}` }
    x402.upstream.serve(path, (response) => response.destroy())
    expect((await x402.post(ask(), key)).status).toBe(500)
    x402.upstream.serve(path, answers(200, { receipt: 'r2' }))
    const first = await x402.post(ask(), key)
    expect(await x402.post(ask(), key)).toEqual(first)
    // The retry sends the same idempotency key to the gateway, which recognizes the request.
    const keys = x402.upstream.asked.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0]])
    expect((await x402.post({ ...ask(), method: 'other' }, key)).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    )
  })
})

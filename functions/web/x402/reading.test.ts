import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ownTimeouts, passTime } from '#tests/support/clock/time.ts'
import { onWorkerd } from '#tests/support/http/carrier.ts'
import { builtIn, startX402Caller, type X402Caller } from '#tests/support/x402/caller.ts'
import { answers } from '#tests/support/x402/upstream.ts'

let x402: X402Caller

beforeAll(async () => {
  x402 = await startX402Caller()
})
afterAll(() => x402.close())
beforeEach(() => x402.upstream.reset())

const dead = 'http://127.0.0.1:1'

const newcomer = { success: true, score: 50, tier: 'new', details: null }
const basic = {
  success: true,
  agentId: 'a/b',
  tier: 'basic',
  pricing: { rate: 0.01, discount: 0 },
  fitness: { score: 50, tier: 'new' },
}

describe('the gateway’s health', () => {
  it('returns the gateway’s health and address', async () => {
    x402.upstream.serve('/health', answers(200, { status: 'ok', agents: 3, gateway: 'elsewhere' }))
    expect(await x402.call()).toEqual({
      status: 200,
      body: { status: 'ok', agents: 3, gateway: x402.upstream.url },
    })
  })

  it('hides a password of the gateway', async () => {
    x402.upstream.serve('/health', answers(200, { status: 'ok' }))
    const { body } = await x402.callerOf(x402.upstream.url.replace('//', '//user:secret@'))()
    expect(body.gateway).toBe(x402.upstream.url)
  })

  it.each<[string, () => string]>([
    ['is unavailable', () => dead],
    [
      'fails',
      () => (x402.upstream.serve('/health', answers(500, { status: 'bad' })), x402.upstream.url),
    ],
    [
      'returns invalid JSON',
      () => (x402.upstream.serve('/health', answers(200, '<p>')), x402.upstream.url),
    ],
    ['returns a list', () => (x402.upstream.serve('/health', answers(200, [])), x402.upstream.url)],
  ])('returns 503 if the gateway %s', async (_, prepare) => {
    const gateway = prepare()
    expect(await x402.callerOf(gateway)()).toEqual({
      status: 503,
      body: { gateway, status: 'unreachable', error: expect.any(String) },
    })
  })

  it('returns 503 and names the setting if no gateway is configured', async () => {
    expect(await x402.callerOf(undefined)()).toEqual({
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

describe('reading', () => {
  it('fitness returns the gateway’s value', async () => {
    const message = { score: 81, tier: 'elite', details: { prediction: 0.5, execution: 1, x: 2 } }
    x402.upstream.serve(
      '/gateway/fitness/a%2Fb',
      answers(200, { ...message, more: 'than is asked' }),
    )
    expect(await x402.post({ action: 'fitness', agentId: 'a/b' })).toEqual({
      status: 200,
      body: { ...message, details: { prediction: 0.5, execution: 1 } },
    })
  })

  it('prices returns the gateway’s values', async () => {
    const message = {
      tier: 'gold',
      pricing: { rate: 0.005, discount: 20 },
      fitness: { score: 70, tier: 'gold' },
    }
    x402.upstream.serve('/gateway/pricing/a%2Fb', answers(200, { ...message, agentId: 'another' }))
    const answer = await x402.post({ action: 'pricing', agentId: 'a/b' })
    expect(answer).toEqual({ status: 200, body: { ...message, agentId: 'a/b' } })
  })

  it('endpoints returns the gateway’s list, to anyone', async () => {
    const endpoints = [{ slug: 'x', description: 'X', price: '0.01 USDC' }]
    x402.upstream.serve('/gateway/endpoints', answers(200, { endpoints }))
    const answer = await x402.call({ action: 'endpoints' })
    expect(answer).toEqual({ status: 200, body: { success: true, endpoints } })
  })

  describe.each<[string, unknown, object]>([
    ['fitness', newcomer, { details: 'none' }],
    ['pricing', basic, { tier: 'gold' }],
    ['endpoints', builtIn, { endpoints: 'none' }],
  ])('%s has its fallback if the gateway', (action, fallback, odd) => {
    const path = action === 'endpoints' ? '/gateway/endpoints' : `/gateway/${action}/a%2Fb`
    const ask = { action, agentId: 'a/b' }

    it('is unavailable', async () => {
      const answer = await x402.callerOf(dead)(ask, { session: x402.ada.session })
      expect(answer).toEqual({ status: 200, body: fallback })
    })

    it.each<[string, ReturnType<typeof answers>]>([
      ['fails', answers(500, { error: 'down' })],
      ['redirects', answers(302, {})],
      ['returns invalid JSON', answers(200, 'fine')],
      ['returns another format', answers(200, odd)],
      ['exceeds the response size', answers(200, JSON.stringify({ text: 'x'.repeat(1_100_000) }))],
    ])('%s', async (_, behaviour) => {
      x402.upstream.serve(path, behaviour)
      expect(await x402.post(ask)).toEqual({ status: 200, body: fallback })
    })

    it.skipIf(onWorkerd)('does not respond for ten seconds', async () => {
      ownTimeouts()
      const reached = Promise.withResolvers<void>()
      x402.upstream.serve(path, () => reached.resolve())
      let waits = true
      const answer = x402.post(ask).finally(() => (waits = false))
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

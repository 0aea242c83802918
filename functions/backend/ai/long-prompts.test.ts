import { expect, it, onTestFinished, vi } from 'vitest'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, quotaOf, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway()
const network = { 'x-user-plan': 'network' }
let users = 0

const haiku = 'anthropic/claude-haiku-5.5'
const luna = 'openai/gpt-6-luna'

it.each([
  [haiku, 100_000, 0, 0.0105],
  [haiku, 100_001, 0, 0.0525005],
  [haiku, 200_000, 200_000, 0.0125],
  [luna, 272_000, 0, 0.0277],
  [luna, 272_001, 0, 0.0551502],
])(
  '%s costs more for a long prompt: %d tokens, %d of them cached',
  async (model, input, cached, costUsd) => {
    const details = { prompt_tokens_details: { cached_tokens: cached } }
    on.upstream.serve(model, says('hi', usage(input, 1000, details)))
    const headers = { ...network, 'x-user-id': `usr_long${users++}` }
    await on.gateway.chat({ ...hello, model }, { headers })
    expect(await eventsOf(on.table, headers['x-user-id'])).toMatchObject([{ costUsd }])
  },
)

it('a provider’s list without prices of long prompts does not lower them', async () => {
  const pricing = { prompt: '0.0000001', completion: '0.0000005' }
  on.upstream.list([{ id: haiku, pricing }])
  on.upstream.serve(haiku, says('hi', usage(200_000, 1000)))
  const headers = { ...network, 'x-user-id': `usr_long${users++}` }
  await on.gateway.chat({ ...hello, model: haiku }, { headers })
  expect(await eventsOf(on.table, headers['x-user-id'])).toMatchObject([{ costUsd: 0.1025 }])
})

it('a call under a cap reserves the price of its long prompt', async () => {
  let reserved = 0
  const owner = { ...solo, plan: 'network', spendCapUsd: 1000 }
  // Without a fallback, whose price could be higher.
  const limits = { models: [haiku] }
  const { userId, headers } = await keyHolder(on.table, owner, { limits })
  on.upstream.serve(haiku, async (response, asked) => {
    reserved = Number((await quotaOf(on.table, userId))?.['committedMicroUsd'])
    return says('x', usage(1, 1))(response, asked)
  })
  const content = 'x'.repeat(3_000_000)
  const request = { model: haiku, max_tokens: 1, messages: [{ role: 'user', content }] }
  expect((await on.gateway.chat(request, { headers })).status).toBe(200)
  // A million tokens at five times $0.20 a million, the price of one-hour cache writes.
  expect(reserved / 1_000_000).toBeCloseTo(1, 3)
})

it('a call has the price of the day on which it began', async () => {
  const model = 'google/gemini-3.8-flash'
  const midnight = Date.parse('2027-01-01T00:00:00Z')
  vi.useFakeTimers({ toFake: ['Date'], now: midnight - 1000 })
  onTestFinished(() => void vi.useRealTimers())
  on.upstream.serve(model, (response, asked) => {
    vi.setSystemTime(midnight)
    return says('hi', usage(1_000_000, 0))(response, asked)
  })
  const headers = { ...network, 'x-user-id': 'usr_new_year' }
  for (let calls = 0; calls < 2; calls++)
    expect((await on.gateway.chat({ ...hello, model }, { headers })).status).toBe(200)
  const costs = (await eventsOf(on.table, 'usr_new_year')).map(({ costUsd }) => costUsd)
  expect(costs.sort()).toEqual([0.75, 1.5])
})

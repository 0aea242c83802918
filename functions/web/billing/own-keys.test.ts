import { afterAll, beforeAll, expect, it } from 'vitest'
import { encryptionKey, hello, startGateway } from '#tests/support/ai/gateway.ts'
import { says, startUpstream, type Upstream, usage as used } from '#tests/support/ai/upstream.ts'
import { startUsage, type Usage } from '#tests/support/ai/usage.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

let usage: Usage
let upstream: Upstream

beforeAll(async () => {
  ;[usage, upstream] = await Promise.all([startUsage(), startUpstream()])
})
afterAll(() => Promise.all([usage.close(), upstream.close()]))

it('a user’s own provider key serves the user’s calls, uses no quota, and stops when it is deleted', async () => {
  const { id, session } = await usage.signUp('own@b.co')
  const { web } = usage.startProcess({ encryptionKey })
  const act = (body: object) => web('POST', '/api/billing', { session, body })
  const gateway = startGateway(usage.table, {
    AI_PROVIDERS: JSON.stringify({
      openai: { baseUrl: upstream.baseUrl, apiKey: 'the-platforms-own-key' },
    }),
  })
  upstream.serve('gpt-4o', says('x', used(100, 10, { cost: 0.5 })))
  const ask = async () => {
    const headers = { 'x-user-id': id }
    const answer = await gateway.chat({ ...hello, model: 'openai/gpt-4o' }, { headers })
    expect(answer.status).toBe(200)
    return upstream.asked.at(-1)?.authorization
  }
  const month = async () => (await act({ action: 'get-usage' }))[1].usage

  expect(await ask()).toBe('Bearer the-platforms-own-key')
  expect(await month()).toMatchObject({ used: 110 })
  const enable = { action: 'enable-byok', provider: 'openai', apiKey: 'the-users-own-key' }
  expect((await act(enable))[0]).toBe(200)
  expect(await ask()).toBe('Bearer the-users-own-key')
  expect(await month()).toMatchObject({ used: 110 })
  const [, cost] = await web('GET', '/api/dashboard/cost', { session })
  expect(cost.summary).toMatchObject({ totalCost: 1, totalCalls: 2 })
  await act({ action: 'disable-byok', provider: 'openai' })
  expect(await ask()).toBe('Bearer the-platforms-own-key')
  expect(await month()).toMatchObject({ used: 220 })
})

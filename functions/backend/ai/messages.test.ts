import { describe, expect, it } from 'vitest'
import { quotaKey, toQuota } from '#shared/ai/usage/quota/row.ts'
import type { ModelFamily } from '#shared/manifest/model-families.ts'
import { agentCaller, keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, internalKey, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { playedName, plays } from '#tests/support/ai/played.ts'
import { fails } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const model = 'anthropic/claude-3.5-sonnet'
const other = 'google/gemini-2.0-flash'
const month = new Date().toISOString().slice(0, 7)
const hello = { model, max_tokens: 4_096, messages: [{ role: 'user', content: 'hello' }] }

/** A model that writes this many tokens, at $3 and $15 a million. */
const writes = (output_tokens: number) => plays(() => ({ text: 'Hi', output_tokens }))

describe.each<[string, ModelFamily[]]>([
  ['chat completions', ['chat']],
  ['Messages', ['chat', 'messages']],
])('Messages over a provider of %s', (_, AI_SPEAKS) => {
  const on = useGateway({ AI_SPEAKS })

  const spentBy = async (userId: string) => toQuota(await on.table.get(quotaKey(userId, month)))

  const atOnce = async (headers: Record<string, string>, body: object = hello) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const answer = await on.gateway.messages(body, { headers })
        await answer.text()
        return answer.status
      }),
    )
    expect(new Set(answers)).toEqual(new Set([200, 429]))
    const served = answers.filter((status) => status === 200).length
    expect(on.upstream.asked).toHaveLength(served)
    return served
  }

  it.each([false, true])(
    'hold a spend cap with 20 calls at once (streamed: %s)',
    async (stream) => {
      on.upstream.serve(model, writes(4_000))
      const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 0.3 })
      const served = await atOnce(headers, { ...hello, stream })
      const { microUsd } = await spentBy(userId)
      // 20 tokens of the prompt and 4,000 of the answer.
      expect(microUsd).toMatchObject({ used: served * 60_060, committed: served * 60_060 })
      expect(microUsd.used).toBeLessThan(300_000 + 60_060)
    },
  )

  it('hold a quota with 20 calls at once', async () => {
    on.upstream.serve(model, writes(3_980))
    const { userId, headers } = await keyHolder(on.table, solo)
    const used = 2_000_000 - 20_000
    await on.table.put({ ...quotaKey(userId, month), used, committed: used })
    const served = await atOnce(headers)
    const { tokens } = await spentBy(userId)
    expect(tokens).toMatchObject({ used: used + served * 4_000 })
    expect(tokens.used).toBeLessThan(2_000_000 + 4_000)
  })

  it('accept every kind of key, as a bearer and in x-api-key', async () => {
    on.upstream.serve(model, writes(1))
    const { headers } = await keyHolder(on.table, solo)
    const { key, userId } = await agentCaller(on.table, solo)
    const keys = [internalKey, headers.authorization.slice('Bearer '.length), key]
    for (const each of keys) {
      const sent = { authorization: undefined, 'x-api-key': each }
      expect((await on.gateway.messages(hello, { headers: sent })).status).toBe(200)
      const bearer = { authorization: `Bearer ${each}` }
      expect((await on.gateway.messages(hello, { headers: bearer })).status).toBe(200)
    }
    expect(await eventsOf(on.table, String(userId))).toMatchObject([
      { endpoint: '/v1/messages', success: true },
      { endpoint: '/v1/messages', success: true },
    ])
  })

  it.each([false, true])(
    'name the model of a fallback by its id (streamed: %s)',
    async (stream) => {
      on.upstream.serve(other, fails(500))
      on.upstream.serve('google/gemini-2.0-flash-001', fails(500))
      on.upstream.serve('meta-llama/llama-3.3-70b-instruct', writes(1))
      const answer = await on.gateway.messages({ ...hello, model: other, stream })
      const text = await answer.text()
      expect(text).toContain('"model":"meta-llama/llama-3.3-70b-instruct"')
      expect(text).not.toContain(playedName)
    },
  )

  it.each([
    [400, 'invalid_request_error', { ...hello, max_tokens: undefined }, {}],
    [401, 'authentication_error', hello, { authorization: undefined, 'x-api-key': 'sk_wrong' }],
    [402, 'billing_error', hello, { 'x-user-plan': 'free' }],
    [403, 'permission_error', { ...hello, model: 'openai/gpt-4-turbo' }, {}],
    [404, 'not_found_error', { ...hello, model: 'nobody/x' }, { 'x-user-plan': 'network' }],
    [413, 'request_too_large', { ...hello, system: 'x'.repeat(5 * 1_048_576) }, {}],
    [429, 'rate_limit_error', hello, { 'x-user-id': 'usr_full' }],
    [502, 'api_error', hello, {}],
  ])('answer %i as %s', async (status, type, body, headers) => {
    on.upstream.list([{ id: model }, { id: 'openai/gpt-4-turbo' }])
    const full = { used: 2_000_000, committed: 2_000_000 }
    await on.table.put({ ...quotaKey('usr_full', month), ...full })
    const answer = await on.gateway.messages(body, { headers })
    expect(answer.status).toBe(status)
    const id = answer.headers.get('request-id')
    expect(id).toMatch(/^req_/)
    expect(await answer.json()).toEqual({
      type: 'error',
      error: expect.objectContaining({ type, message: expect.stringMatching(/./) }),
      request_id: id,
    })
    const lasts = status === 402 || status === 429
    expect(answer.headers.get('x-should-retry')).toBe(lasts ? 'false' : null)
  })
})

describe('Messages without a provider', () => {
  const on = useGateway()

  it('answer 503 as overloaded_error', async () => {
    const answer = await startGateway(on.table, {}).messages(hello)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { type: 'overloaded_error' } })
  })
})

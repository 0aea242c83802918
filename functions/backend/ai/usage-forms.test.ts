import { expect, it } from 'vitest'
import { dailyUsage } from '#shared/ai/usage/queries/daily.ts'
import { lastDays } from '#shared/platform/days.ts'
import { keyHolder, solo } from '#tests/support/ai/callers.ts'
import { eventsOf, hello, quotaOf, useGateway } from '#tests/support/ai/gateway.ts'
import { says, delta, sendStream } from '#tests/support/ai/upstream.ts'
import { fromMidMonth } from '#tests/support/clock/time.ts'

fromMidMonth()

const on = useGateway()

/** $1 and $2 a million; cache reads cost a tenth, cache writes a quarter more. */
const pricing = {
  prompt: '0.000001',
  completion: '0.000002',
  input_cache_read: '0.0000001',
  input_cache_write: '0.00000125',
  input_cache_write_1h: '0.000002',
}

const openAi = (prompt: number, completion: number, more: object = {}) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
})

let users = 0

async function recorded(usage: object, stream = false, more: object = {}) {
  const userId = `usr_forms${users++}`
  on.upstream.list([{ id: 'a/m', pricing }])
  on.upstream.serve('a/m', says('hi', usage, more))
  const response = await on.gateway.chat(
    { ...hello, model: 'a/m', stream, ...(stream && { stream_options: { include_usage: true } }) },
    { headers: { 'x-user-id': userId, 'x-user-plan': 'network' } },
  )
  const text = await response.text()
  const [event] = await eventsOf(on.table, userId)
  return { event, text, userId }
}

it.each<[string, object, object]>([
  // https://platform.openai.com/docs/api-reference/chat/object
  [
    'OpenAI',
    openAi(1000, 100, { prompt_tokens_details: { cached_tokens: 800 } }),
    { cacheReadTokens: 800, costUsd: 0.00048 },
  ],
  // https://api-docs.deepseek.com/api/create-chat-completion
  [
    'DeepSeek',
    openAi(1000, 100, { prompt_cache_hit_tokens: 800, prompt_cache_miss_tokens: 200 }),
    { cacheReadTokens: 800, costUsd: 0.00048 },
  ],
  // https://platform.moonshot.ai/docs/api/chat
  [
    'Moonshot',
    openAi(1000, 100, { cached_tokens: 800 }),
    { cacheReadTokens: 800, costUsd: 0.00048 },
  ],
  // https://docs.litellm.ai/docs/completion/prompt_caching
  [
    'Anthropic with OpenAI’s names',
    openAi(1000, 100, { cache_read_input_tokens: 400, cache_creation_input_tokens: 400 }),
    { cacheReadTokens: 400, cacheWriteTokens: 400, costUsd: 0.00094 },
  ],
  // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
  [
    'Anthropic with OpenAI’s names and one-hour cache writes',
    openAi(1000, 100, {
      cache_creation_input_tokens: 400,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 300 },
    }),
    { cacheWriteTokens: 400, costUsd: 0.001525 },
  ],
  // https://docs.litellm.ai/docs/completion/prompt_caching
  [
    'LiteLLM, with one-hour cache writes',
    openAi(1000, 100, {
      prompt_tokens_details: {
        cache_creation_tokens: 400,
        cache_creation_token_details: {
          ephemeral_5m_input_tokens: 100,
          ephemeral_1h_input_tokens: 300,
        },
      },
    }),
    { cacheWriteTokens: 400, costUsd: 0.001525 },
  ],
  [
    'one-hour cache writes above the prompt',
    openAi(1000, 100, { cache_creation: { ephemeral_1h_input_tokens: 1000 } }),
    { cacheWriteTokens: 1000, costUsd: 0.0022 },
  ],
  // https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
  [
    'Anthropic with its own names and separate cache tokens',
    {
      input_tokens: 200,
      output_tokens: 100,
      cache_read_input_tokens: 400,
      cache_creation_input_tokens: 400,
    },
    { inputTokens: 1000, cacheReadTokens: 400, cacheWriteTokens: 400, costUsd: 0.00094 },
  ],
  [
    'a gateway to Anthropic with cache tokens in the total',
    {
      prompt_tokens: 200,
      completion_tokens: 100,
      total_tokens: 1100,
      prompt_tokens_details: { cached_tokens: 800 },
    },
    { inputTokens: 1000, cacheReadTokens: 800, costUsd: 0.00048 },
  ],
  // https://ai.google.dev/api/generate-content#UsageMetadata
  [
    'Gemini with its own names',
    {
      promptTokenCount: 1000,
      candidatesTokenCount: 60,
      thoughtsTokenCount: 40,
      cachedContentTokenCount: 800,
      totalTokenCount: 1100,
    },
    { cacheReadTokens: 800, reasoningTokens: 40, costUsd: 0.00048 },
  ],
  // https://ai.google.dev/gemini-api/docs/openai
  [
    'Gemini, which counts thoughts only in the total',
    { ...openAi(1000, 40), total_tokens: 1100 },
    { costUsd: 0.0012 },
  ],
  // https://docs.x.ai/docs/guides/reasoning
  [
    'xAI with reasoning apart from the completion',
    {
      ...openAi(1000, 40, { completion_tokens_details: { reasoning_tokens: 60 } }),
      total_tokens: 1100,
    },
    { reasoningTokens: 60, costUsd: 0.0012 },
  ],
  // https://platform.openai.com/docs/guides/reasoning
  [
    'reasoning within the completion',
    openAi(1000, 100, { completion_tokens_details: { reasoning_tokens: 60 } }),
    { reasoningTokens: 60, costUsd: 0.0012 },
  ],
  // https://openrouter.ai/docs/use-cases/usage-accounting
  [
    'OpenRouter, with its cost as text',
    openAi(1000, 100, {
      cost: '0.0125',
      prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 100 },
    }),
    { cacheReadTokens: 800, cacheWriteTokens: 100, costUsd: 0.0125 },
  ],
  // https://docs.perplexity.ai/api-reference/chat-completions-post
  [
    'Perplexity, with the fee of the request',
    openAi(1000, 100, {
      cost: { input_tokens_cost: 0.001, request_cost: 0.005, total_cost: 0.0062 },
    }),
    { costUsd: 0.0062 },
  ],
  // https://docs.x.ai/developers/cost-tracking
  ['xAI, in ticks', openAi(1000, 100, { cost_in_usd_ticks: 37_756_000 }), { costUsd: 0.0037756 }],
  // https://docs.deepinfra.com/chat/overview
  ['DeepInfra', openAi(1000, 100, { estimated_cost: 0.0004 }), { costUsd: 0.0004 }],
  ['a prompt and a total', { prompt_tokens: 1000, total_tokens: 1100 }, { costUsd: 0.0012 }],
  ['a completion and a total', { completion_tokens: 100, total_tokens: 1100 }, { costUsd: 0.0012 }],
  [
    'invalid counts',
    openAi(1000, 100, { prompt_tokens_details: { cached_tokens: -1 }, cost: 'free' }),
    { costUsd: 0.0012 },
  ],
])('usage is read in the format of %s', async (_, usage, expected) => {
  for (const stream of [false, true]) {
    const { event, text } = await recorded(usage, stream)
    expect(event).toMatchObject({
      inputTokens: 1000,
      outputTokens: 100,
      estimated: false,
      ...expected,
    })
    for (const count of ['"prompt_tokens":', '"completion_tokens":', '"total_tokens":'])
      expect(text).toContain(count)
  }
})

it('a missing count is estimated, and a reported one is kept', async () => {
  const completion = await recorded({ completion_tokens: 77 })
  expect(completion.event).toMatchObject({ outputTokens: 77, estimated: true })
  expect(Number(completion.event?.['inputTokens'])).toBeLessThan(50)
  const prompt = await recorded({ prompt_tokens: 77 })
  expect(prompt.event).toMatchObject({ inputTokens: 77, outputTokens: 1, estimated: true })
})

it('cached tokens above an estimated prompt give no negative count', async () => {
  const { event } = await recorded({
    cache_read_input_tokens: 5000,
    cache_creation_input_tokens: 10,
  })
  expect(event).toMatchObject({ cacheWriteTokens: 0, estimated: true })
  expect(Number(event?.['cacheReadTokens'])).toBeLessThanOrEqual(Number(event?.['inputTokens']))
})

it.each([
  // https://github.com/earendil-works/pi/issues/2017
  [
    'Moonshot, within a choice',
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: openAi(1000, 100) }] },
  ],
  // https://console.groq.com/docs/api-reference#chat-create
  [
    'Groq, in a field of its own',
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      x_groq: { usage: openAi(1000, 100) },
    },
  ],
])('a stream’s usage is found at %s', async (_, last) => {
  const userId = `usr_forms${users++}`
  on.upstream.serve('a/m', (response) =>
    sendStream(response, [delta({ content: 'hi' }), last, '[DONE]']),
  )
  on.upstream.list([{ id: 'a/m', pricing }])
  const response = await on.gateway.chat(
    { ...hello, model: 'a/m', stream: true },
    { headers: { 'x-user-id': userId, 'x-user-plan': 'network' } },
  )
  await response.text()
  expect(await eventsOf(on.table, userId)).toMatchObject([
    { inputTokens: 1000, outputTokens: 100, estimated: false },
  ])
})

it('the parts of the counts are in the rollups', async () => {
  const { userId } = await recorded(
    openAi(1000, 100, {
      prompt_tokens_details: { cached_tokens: 800 },
      completion_tokens_details: { reasoning_tokens: 60 },
    }),
  )
  const query = { scope: { userId }, days: lastDays(1) }
  expect(await dailyUsage({ table: on.table }, query)).toMatchObject([
    { cache_read_tokens: 800, cache_write_tokens: 0, reasoning_tokens: 60, total_tokens: 1100 },
  ])
})

it.each([
  [
    'anthropic/claude-sonnet-4.5',
    { cache_read_input_tokens: 500, cache_creation_input_tokens: 500 },
    0.002025,
  ],
  ['anthropic/claude-sonnet-4.5', { cache_creation: { ephemeral_1h_input_tokens: 500 } }, 0.0045],
  ['openai/gpt-6-luna', { prompt_tokens_details: { cache_write_tokens: 500 } }, 0.0001125],
  ['google/gemini-3.8-flash', { prompt_tokens_details: { cached_tokens: 500 } }, 0.0004125],
  ['google/gemini-2.5-flash', { prompt_tokens_details: { cached_tokens: 500 } }, 0.000165],
  ['moonshotai/kimi-k2.5', { cached_tokens: 500 }, 0.00035],
])('cached tokens have the price of the price file: %s, %j', async (model, cached, costUsd) => {
  on.upstream.serve(model, says('hi', openAi(1000, 0, cached)))
  const headers = { 'x-user-id': `usr_forms${users++}`, 'x-user-plan': 'network' }
  await on.gateway.chat({ ...hello, model }, { headers })
  expect(await eventsOf(on.table, headers['x-user-id'])).toMatchObject([{ costUsd }])
})

it('a list without a price of one-hour cache writes keeps the price of the price file', async () => {
  const model = 'anthropic/claude-sonnet-4.5'
  const { input_cache_write_1h: _, ...without } = pricing
  on.upstream.list([{ id: model, pricing: without }])
  on.upstream.serve(
    model,
    says('hi', openAi(1000, 0, { cache_creation: { ephemeral_1h_input_tokens: 500 } })),
  )
  const headers = { 'x-user-id': `usr_forms${users++}`, 'x-user-plan': 'network' }
  await on.gateway.chat({ ...hello, model }, { headers })
  expect(await eventsOf(on.table, headers['x-user-id'])).toMatchObject([{ costUsd: 0.0035 }])
})

it('a call under a cap reserves its whole prompt at the price of one-hour cache writes', async () => {
  let reserved = 0
  const { userId, headers } = await keyHolder(on.table, { ...solo, spendCapUsd: 1000 })
  const model = 'openai/gpt-4o'
  on.upstream.list([{ id: model, pricing: { ...pricing, input_cache_write_1h: '0.0001' } }])
  on.upstream.serve(model, async (response, asked) => {
    reserved = Number((await quotaOf(on.table, userId))?.['committedMicroUsd'])
    return says('x', openAi(1, 1))(response, asked)
  })
  const content = 'x'.repeat(3_000_000)
  await on.gateway.chat(
    { model, max_tokens: 1, messages: [{ role: 'user', content }] },
    { headers },
  )
  // A million tokens at $100 a million.
  expect(Math.floor(reserved / 1_000_000)).toBe(100)
})

import { describe, expect, it } from 'vitest'
import { eventsOf, hello, quotaOf, startGateway, useGateway } from '#tests/support/ai/gateway.ts'
import { says, usage } from '#tests/support/ai/upstream.ts'

const on = useGateway({ AI_API_KEY: 'provider-key' })

const model = 'openai/gpt-4o'
const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }
const result = { role: 'tool', tool_call_id: 'call_1', content: '2' }
const [user] = hello.messages

/** Returns the body that the provider receives for a request. */
async function passedOn(body: object) {
  on.upstream.serve(model, says('ok', usage(1, 1)))
  const answer = await on.gateway.chat({ ...hello, model, ...body })
  expect(answer.status).toBe(200)
  return on.upstream.asked.at(-1)!.body
}

const messageOf = async (message: object) =>
  (await passedOn({ messages: [user, message, result] })).messages as [
    object,
    Record<string, unknown>,
  ]

describe('a conversation history of a client', () => {
  it.each<[string, object]>([
    // https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
    ['reasoning_content', { reasoning_content: 'Hm.' }],
    // https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks
    ['reasoning and its details', { reasoning: 'Hm.', reasoning_details: [{ data: 'b64' }] }],
    // https://docs.litellm.ai/docs/reasoning_content
    ['thinking with signatures', { thinking_blocks: [{ thinking: 'Hm.', signature: 's' }] }],
    // https://ai.google.dev/gemini-api/docs/thought-signatures
    ['a field of one vendor', { extra_content: { vendor: { state: [1, { a: null }] } } }],
    // https://docs.mistral.ai/capabilities/reasoning
    ['thinking in its parts', { content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] }],
    // https://openrouter.ai/docs/features/prompt-caching
    ['a cache marker', { cache_control: { type: 'ephemeral' } }],
  ])('returns the model’s own %s to the model unchanged', async (_, opaque) => {
    const message = { role: 'assistant', content: 'Let me see.', tool_calls: [call], ...opaque }
    expect((await messageOf(message))[1]).toEqual(message)
  })

  const part = (text: string, more: object = {}) => ({
    type: 'thinking',
    thinking: [{ type: 'text', text }],
    ...more,
  })
  const detail = (from: string, index: number, thought: object) => ({
    type: 'reasoning.part',
    model: from,
    index,
    part: thought,
  })

  it('returns thinking parts to their own model in its content, and to no other', async () => {
    const reasoning_details = [
      detail(model, 0, part('Look ')),
      detail(model, 0, part('outside.', { signature: 's' })),
      detail(model, 1, part('Rain.')),
      detail('another/model', 0, part('Snow.')),
      { type: 'reasoning.text', text: 'Kept.' },
    ]
    const content = 'Let me see.'
    const message = { role: 'assistant', content, reasoning_content: 'Look', reasoning_details }
    expect((await messageOf({ ...message, tool_calls: [call] }))[1]).toEqual({
      role: 'assistant',
      content: [
        part('Look outside.', { signature: 's' }),
        part('Rain.'),
        { type: 'text', text: content },
      ],
      reasoning_details: [{ type: 'reasoning.text', text: 'Kept.' }],
      tool_calls: [call],
    })
    const others = [detail('another/model', 0, part('Snow.'))]
    expect((await messageOf({ ...message, reasoning_details: others }))[1]).toEqual({
      role: 'assistant',
      content,
      reasoning_content: 'Look',
    })
  })

  it('joins the thinking parts of a stream that was not requested', async () => {
    on.upstream.serve(model, (response) => {
      const pieces = [part('Look '), part('outside.', { signature: 's' }), part('Rain.')]
      const events = pieces.map((piece) => ({
        choices: [{ index: 0, delta: { content: [piece] } }],
      }))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
      )
    })
    const answer = await on.gateway.chat({ ...hello, model })
    expect(await answer.json()).toMatchObject({
      choices: [
        {
          message: {
            content: '',
            reasoning_content: 'Look outside.Rain.',
            reasoning_details: [
              detail(model, 0, part('Look outside.', { signature: 's' })),
              detail(model, 1, part('Rain.')),
            ],
          },
        },
      ],
    })
  })

  it('returns the signature of a tool call to the model', async () => {
    const signed = { ...call, extra_content: { google: { thought_signature: 'EjQKMgEM' } } }
    const [, message] = await messageOf({ role: 'assistant', content: null, tool_calls: [signed] })
    expect(message).toEqual({ role: 'assistant', content: null, tool_calls: [signed] })
  })

  it('treats null as an absent field', async () => {
    const nothing = { name: null, tool_call_id: null, function_call: null, audio: null }
    const messages = [
      { ...user, ...nothing, tool_calls: null, cache_control: null },
      { role: 'assistant', content: 'Hi', ...nothing, refusal: null, tool_calls: null },
      { ...user, name: 'ann' },
    ]
    expect(
      (await passedOn({ messages, tools: null, user: null, metadata: null })).messages,
    ).toEqual([user, { role: 'assistant', content: 'Hi' }, { ...user, name: 'ann' }])
  })

  it.each([
    ['an empty string', '', '{}'],
    ['nothing', undefined, '{}'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['JSON with spaces', ' {"a": 1} ', ' {"a": 1} '],
    ['JSON within JSON', '"{\\"a\\":1}"', '{"a":1}'],
    ['JSON that was cut', '{"a":', '{}'],
    ['a list', '[1]', '{}'],
    ['null', 'null', '{}'],
    ['invalid JSON', 'a = 1', '{}'],
  ])('forwards arguments that are %s as an object in JSON', async (_, given, text) => {
    const request = { ...call, function: { name: 'add', arguments: given } }
    const [, message] = await messageOf({ role: 'assistant', content: [], tool_calls: [request] })
    expect(message).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [{ ...call, function: { name: 'add', arguments: text } }],
    })
    const [, older] = await messageOf({ role: 'assistant', function_call: request.function })
    expect(older).toMatchObject({ function_call: { name: 'add', arguments: text } })
  })

  it('forwards the older form of calls and their results', async () => {
    const messages = [
      user,
      { role: 'assistant', content: null, function_call: { name: 'add', arguments: '{"a":1}' } },
      { role: 'function', name: 'add', content: '2' },
    ]
    expect((await passedOn({ messages })).messages).toEqual(messages)
  })

  it('forwards the input of a custom tool unchanged', async () => {
    const custom = { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'a = 1' } }
    const [, message] = await messageOf({ role: 'assistant', content: null, tool_calls: [custom] })
    expect(message).toMatchObject({ tool_calls: [custom] })
  })

  it('reserves and counts the model’s other input in addition to the text', async () => {
    on.upstream.serve(model, says('ok'))
    const estimated = async (name: string, more: object) => {
      const message = { role: 'assistant', content: 'Hi', ...more }
      await on.gateway.chat(
        { model, messages: [user, message, user] },
        { headers: { 'x-user-id': `usr_forms_${name}` } },
      )
      const [event] = await eventsOf(on.table, `usr_forms_${name}`)
      expect(await quotaOf(on.table, `usr_forms_${name}`)).toMatchObject({
        used: Number(event?.inputTokens) + Number(event?.outputTokens),
      })
      return Number(event?.inputTokens)
    }
    const plain = await estimated('plain', {})
    const reasoned = await estimated('reasoned', {
      reasoning_details: [{ data: 'x'.repeat(3000) }],
    })
    expect(reasoned - plain).toBeGreaterThan(1000)
  })

  it('sends a developer’s message as the system’s to every provider but OpenAI', async () => {
    const messages = [{ role: 'developer', content: 'Be brief.' }, user]
    expect((await passedOn({ messages })).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      user,
    ])
    const { baseUrl } = on.upstream
    const AI_PROVIDERS = JSON.stringify({ openai: { baseUrl } })
    on.upstream.serve('gpt-4o', says('ok', usage(1, 1)))
    await startGateway(on.table, { AI_PROVIDERS }).chat({ model, messages })
    expect(on.upstream.asked.at(-1)?.body.messages).toEqual(messages)
  })

  it('accepts an image whose address is a string', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const content = [{ type: 'image_url', image_url: url }]
    const { messages } = await passedOn({ messages: [{ role: 'user', content }] })
    expect(messages).toEqual([
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    ])
  })
})

it('a stream instead of a whole answer changes no prototype', async () => {
  on.upstream.serve(model, (response) => {
    const delta = '{"content":"ok","__proto__":{"polluted":true}}'
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`data: {"choices":[{"index":0,"delta":${delta},"finish_reason":"stop"}]}\n\n`)
  })
  const answer = await on.gateway.chat({ ...hello, model })
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: 'ok' } }] })
  expect({}).not.toHaveProperty('polluted')
})

describe('request fields', () => {
  it('request fields that cost nothing are forwarded unchanged', async () => {
    const fields = {
      verbosity: 'low',
      prompt_cache_key: 'k',
      prompt_cache_retention: '24h',
      top_k: 40,
      min_p: 0.1,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      reasoning: { effort: 'high', exclude: false },
      metadata: { project: 'a' },
      safety_identifier: 'u1',
      store: false,
      service_tier: 'auto',
      repetition_penalty: 1.1,
      chat_template_kwargs: { enable_thinking: false },
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: {} } },
      functions: [{ name: 'add', parameters: {} }],
      prediction: { type: 'content', content: 'a' },
    }
    expect(await passedOn({ ...fields, modalities: ['text'] })).toMatchObject(fields)
  })

  it.each<[string, unknown]>([
    ['models', ['openai/o1']],
    ['route', 'fallback'],
    ['provider', { order: ['azure'] }],
    ['plugins', [{ id: 'web' }]],
    ['web_search_options', {}],
    ['search_parameters', { mode: 'on' }],
    ['enable_search', true],
    ['service_tier', 'priority'],
    ['service_tier', 'flex'],
    ['modalities', ['text', 'audio']],
    ['audio', { voice: 'alloy', format: 'wav' }],
    ['best_of', 4],
  ])(
    'request fields that add costs which are not counted are rejected by name: %s %j',
    async (name, value) => {
      const answer = await on.gateway.chat({ ...hello, model, [name]: value })
      expect(answer.status).toBe(400)
      const { error } = (await answer.json()) as { error: { param: string; message: string } }
      expect(error).toMatchObject({ type: 'invalid_request_error', code: null })
      expect(error.param.split('.')[0]).toBe(name)
      expect(error.message).toContain(name)
      expect(on.upstream.asked).toEqual([])
    },
  )

  it('request fields that are unknown are named in the response', async () => {
    on.upstream.serve(model, says('ok', usage(1, 1)))
    const unknown = { nobodys: 1, 'a b': 1, [`\u{1F600}\r\n`]: 1, nothing: null }
    for (const stream of [true, false]) {
      const answer = await on.gateway.chat({ ...hello, model, stream, top_k: 1, ...unknown })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-ignored-fields')).toBe('nobodys, a%20b, %F0%9F%98%80%0D%0A')
      await answer.text()
    }
    const answer = await on.gateway.chat({ ...hello, model, top_k: 1, models: [] })
    expect(answer.headers.has('x-ignored-fields')).toBe(false)
  })

  it('request fields without effect, and unknown ones, are removed', async () => {
    const body = await passedOn({ models: [], plugins: null, enable_search: false, nobodys: 1 })
    for (const name of ['models', 'plugins', 'enable_search', 'nobodys'])
      expect(body).not.toHaveProperty(name)
  })
})

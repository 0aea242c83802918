import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, delta, says, sendJson, sendStream, usage } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

const tools: Anthropic.Tool[] = [
  {
    name: 'get_weather',
    description: 'Returns the weather of a place',
    input_schema: { type: 'object', properties: { place: { type: 'string' } } },
  },
]

const hello: Anthropic.MessageCreateParamsNonStreaming = {
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
}

/** A tool call, with thinking before it, as a provider of chat completions sends it. */
const callsTool: Behaviour = (response, { body }) => {
  const call = { id: 'call_1', type: 'function' }
  const extra_content = { google: { thought_signature: 'sig' } }
  const json = '{"place":"Oslo"}'
  if (body.stream !== true)
    return sendJson(response, 200, {
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            reasoning_content: 'Which place?',
            tool_calls: [
              { ...call, extra_content, function: { name: 'get_weather', arguments: json } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: usage(20, 9),
    })
  const part = (fields: object, more: object = {}) =>
    delta({ tool_calls: [{ index: 0, ...more, function: fields }] })
  return sendStream(response, [
    delta({ role: 'assistant', reasoning_content: 'Which ' }),
    delta({ reasoning_content: 'place?' }),
    part({ name: 'get_weather', arguments: '' }, { ...call, extra_content }),
    part({ arguments: json.slice(0, 5) }),
    part({ arguments: json.slice(5) }),
    delta({}, 'tool_calls'),
    { choices: [], usage: usage(20, 9) },
    '[DONE]',
  ])
}

describe('Messages over a provider of chat completions', () => {
  const on = useAiFunction({})

  it('answers whole and streamed, and counts the call', async () => {
    on.upstream.serve(model, says('Hi there', usage(11, 3)))
    const whole = await on.caller.anthropic.messages.create(hello)
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'Hi there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 11, output_tokens: 3 },
    })
    const names: string[] = []
    const stream = on.caller.anthropic.messages.stream(hello)
    stream.on('streamEvent', ({ type }) => names.push(type))
    const streamed = await stream.finalMessage()
    expect(streamed).toMatchObject({ content: whole.content, usage: whole.usage, model })
    expect(names.at(0)).toBe('message_start')
    expect(names.slice(-3)).toEqual(['content_block_stop', 'message_delta', 'message_stop'])
    expect(await on.caller.events()).toMatchObject([
      { model, inputTokens: 11, outputTokens: 3, endpoint: '/v1/messages' },
      { model, inputTokens: 11, outputTokens: 3, endpoint: '/v1/messages' },
    ])
    expect(on.upstream.asked[0]).toMatchObject({
      path: '/chat/completions',
      body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 },
    })
  })

  it.each([false, true])(
    'calls a tool, and returns thinking and opaque fields to the provider (streamed: %s)',
    async (stream) => {
      on.upstream.serve(model, callsTool)
      const request = { ...hello, system: 'Be brief', tools }
      const { messages } = on.caller.anthropic
      const first = stream
        ? await messages.stream(request).finalMessage()
        : await messages.create(request)
      expect(first.stop_reason).toBe('tool_use')
      expect(first.content.find(({ type }) => type === 'thinking')).toMatchObject({
        thinking: 'Which place?',
      })
      expect(first.content.find(({ type }) => type === 'tool_use')).toMatchObject({
        id: 'call_1',
        name: 'get_weather',
        input: { place: 'Oslo' },
      })
      on.upstream.serve(model, says('Cold', usage(30, 1)))
      const result = {
        type: 'tool_result' as const,
        tool_use_id: 'call_1',
        content: [{ type: 'text' as const, text: '-3 °C' }],
      }
      const last = await messages.create({
        ...request,
        messages: [
          ...hello.messages,
          { role: 'assistant', content: first.content },
          { role: 'user', content: [result, { type: 'text', text: 'And tomorrow?' }] },
        ],
      })
      expect(last.content).toEqual([{ type: 'text', text: 'Cold' }])
      expect(on.upstream.asked.at(-1)?.body).toMatchObject({
        messages: [
          { role: 'system', content: 'Be brief' },
          { role: 'user', content: 'Hello' },
          {
            role: 'assistant',
            content: null,
            reasoning_content: 'Which place?',
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                extra_content: { google: { thought_signature: 'sig' } },
                function: { name: 'get_weather', arguments: '{"place":"Oslo"}' },
              },
            ],
          },
          { role: 'tool', tool_call_id: 'call_1', content: '-3 °C' },
          { role: 'user', content: 'And tomorrow?' },
        ],
        tools: [{ type: 'function', function: { name: 'get_weather' } }],
      })
    },
  )

  it.each([
    ['max_tokens', { max_tokens: undefined }],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    ['tools.0.type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['mcp_servers', { mcp_servers: [{ type: 'url', url: 'https://example.com', name: 'x' }] }],
    [
      'messages.0.content.0.tool_use_id',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] }] },
    ],
    [
      'messages.0.content.0.source.data',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '#' } },
            ],
          },
        ],
      },
    ],
  ])('refuses a request by the name of its field: %s', async (param, change) => {
    const refused = await on.caller.anthropic.messages
      .create({ ...hello, ...change } as never)
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError)
    const { error, requestID } = refused as InstanceType<typeof Anthropic.BadRequestError>
    expect(error).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        param,
        message: expect.stringContaining(param.split('.').at(-1)!),
      },
      request_id: requestID,
    })
    expect(on.upstream.asked).toEqual([])
  })

  it('ends a stream that breaks off with an error event', async () => {
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'Hel' })], { end: false })
      response.destroy()
    })
    const stream = on.caller.anthropic.messages.stream(hello)
    await expect(stream.finalMessage()).rejects.toThrow(/AI_INTERRUPTED/)
    expect(await on.caller.events()).toMatchObject([{ success: false }])
  })

  it('counts the tokens of a prompt without a cost', async () => {
    const counted = await on.caller.anthropic.messages.countTokens({
      model,
      messages: hello.messages,
    })
    expect(counted.input_tokens).toBeGreaterThan(1)
    expect(await on.caller.events()).toEqual([])
  })
})

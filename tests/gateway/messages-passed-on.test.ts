import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { sendEvents } from '../support/ai/played.ts'
import { type Behaviour, fails, sendJson } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

const hello: Anthropic.MessageCreateParamsNonStreaming = {
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
}

/** The events of a message as Anthropic sends them. */
const nativeEvents = [
  {
    type: 'message_start',
    message: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5-20250929',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 7 },
  },
  { type: 'message_stop' },
]

const tool: Anthropic.Tool = { name: 'get_weather', input_schema: { type: 'object' } }

const native = (events: readonly { type: string }[]): Behaviour => {
  return (response, { body }) => {
    if (body.stream !== true)
      return sendJson(response, 200, {
        ...nativeEvents[0]!.message,
        content: [{ type: 'text', text: 'Hi', citations: null }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 7 },
      })
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events)
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    response.end()
  }
}

describe('Messages over a provider that serves Messages', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,messages', AI_API_KEY: 'their-key' })

  it('passes requests and answers on, and counts cached tokens', async () => {
    on.upstream.serve(model, native(nativeEvents))
    const { messages } = on.caller.anthropic
    const cached = {
      type: 'text' as const,
      text: 'Hello',
      cache_control: { type: 'ephemeral' as const },
    }
    const request = { ...hello, messages: [{ role: 'user' as const, content: [cached] }] }
    const whole = await messages.create(request, { headers: { 'anthropic-beta': 'x-2026' } })
    expect(whole).toMatchObject({
      id: 'msg_01',
      model: 'claude-sonnet-4-5-20250929',
      content: [{ type: 'text', text: 'Hi', citations: null }],
      usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 7 },
    })
    const streamed = await messages.stream(request).finalMessage()
    expect(streamed).toMatchObject({ id: 'msg_01', content: [{ text: 'Hi' }] })
    expect(on.upstream.asked[0]).toMatchObject({
      path: '/messages',
      headers: {
        'x-api-key': 'their-key',
        'anthropic-beta': 'x-2026',
        'anthropic-version': expect.stringMatching(/^20\d\d-/),
      },
      body: { ...request, stream: false },
    })
    expect(on.upstream.asked[0]?.authorization).toBeUndefined()
    expect(await on.caller.events()).toMatchObject([
      { inputTokens: 100, cacheReadTokens: 90, outputTokens: 7, estimated: false },
      { inputTokens: 100, cacheReadTokens: 90, outputTokens: 7, estimated: false },
    ])
  })

  it('ends an answer that has its stop reason, although the stream breaks off', async () => {
    on.upstream.serve(model, native(nativeEvents.slice(0, -1)))
    const streamed = await on.caller.anthropic.messages.stream(hello).finalMessage()
    expect(streamed).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'Hi' }] })
  })

  it('lets the next model answer after an error before the first content, under its own id', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    on.upstream.serve(model, native([nativeEvents[0]!, error]))
    const { messages } = on.caller.anthropic
    await messages
      .stream(hello)
      .finalMessage()
      .catch(() => {})
    const next = String(on.upstream.asked[1]?.model)
    expect(next).not.toBe(model)
    on.upstream.serve(next, native(nativeEvents))
    const answered = await messages.stream(hello).finalMessage()
    expect(answered).toMatchObject({ model: next, content: [{ type: 'text', text: 'Hi' }] })
  })

  it('passes on the reason why the provider refuses a request', async () => {
    on.upstream.serve(model, fails(400, 'messages: too long'))
    const refused = on.caller.anthropic.messages.create(hello)
    await expect(refused).rejects.toThrow(/too long/)
  })

  it('passes on a whole answer byte for byte', async () => {
    const text =
      '{ "type":"message","id":"msg_1","role":"assistant","model":"theirs","content":' +
      '[{"type":"text","text":"caf\\u00e9 \\/ 1"}],\n"stop_reason":"end_turn","stop_sequence":null,' +
      '"usage":{"input_tokens":3,"output_tokens":1,"cost":1.0,"id":12345678901234567890}}\n'
    on.upstream.serve(model, (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    })
    const answer = await on.caller.anthropic.messages.create(hello).asResponse()
    expect(await answer.text()).toBe(text)
  })

  it('meters calls whose blocks are mixed', async () => {
    const block = (index: number, fields: object) => ({
      type: 'content_block_delta',
      index,
      delta: fields,
    })
    const json = (index: number, partial_json: string) =>
      block(index, { type: 'input_json_delta', partial_json })
    const start = (index: number, id: string) => ({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id, name: 'get_weather', input: {} },
    })
    on.upstream.serve(model, (response) =>
      sendEvents(response, [
        {
          type: 'message_start',
          message: {
            ...hello,
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            content: [],
            usage: { input_tokens: 5, output_tokens: 1 },
          },
        },
        start(0, 'call_1'),
        start(1, 'call_2'),
        json(0, '{"place":'),
        json(1, '{"place":"Rome"}'),
        json(0, '"Oslo"}'),
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_stop', index: 1 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use' },
          usage: { output_tokens: 9 },
        },
        { type: 'message_stop' },
      ]),
    )
    const message = await on.caller.anthropic.messages
      .stream({ ...hello, tools: [tool] })
      .finalMessage()
    expect(message.content).toEqual([
      { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { place: 'Oslo' } },
      { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { place: 'Rome' } },
    ])
    expect(await on.caller.events()).toMatchObject([{ inputTokens: 5, outputTokens: 9 }])
  })
})

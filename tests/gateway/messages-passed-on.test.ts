import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
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

  it('tries the next model after an error before the first content', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    on.upstream.serve(model, native([nativeEvents[0]!, error]))
    const { messages } = on.caller.anthropic
    const failed = await messages
      .stream(hello)
      .finalMessage()
      .catch((thrown: unknown) => thrown)
    expect(on.upstream.asked.length).toBeGreaterThan(1)
    expect(failed).toBeInstanceOf(Anthropic.APIError)
  })

  it('passes on the reason why the provider refuses a request', async () => {
    on.upstream.serve(model, fails(400, 'messages: too long'))
    const refused = on.caller.anthropic.messages.create(hello)
    await expect(refused).rejects.toThrow(/too long/)
  })
})

import { EventSourceParserStream } from 'eventsource-parser/stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Provider, startProvider } from './server.ts'

let provider: Provider

beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.close())

const complete = (body: unknown) =>
  fetch(`${provider.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const hello = {
  model: 'echo',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: [{ type: 'text', text: 'What is new?' }] },
  ],
}

interface Completion {
  model: string
  choices: { message: { role: string; content: string }; finish_reason: string }[]
  usage: Record<string, number>
}

describe('the stand-in model', () => {
  test('declares itself and repeats the last user message', async () => {
    const answer = (await (await complete(hello)).json()) as Completion
    const content = answer.choices[0]?.message.content ?? ''
    expect(content).toContain('stand-in')
    expect(content).toContain('AI_BASE_URL and AI_API_KEY')
    expect(content).toMatch(/You said: What is new\?$/)
    expect(answer).toMatchObject({
      object: 'chat.completion',
      id: expect.stringMatching(/^chatcmpl-/),
      model: 'echo',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant' } }],
    })
    // 8, 5, 3 and 12 characters, each rounded up to tokens of four.
    expect(answer.usage).toEqual({
      prompt_tokens: 2 + 2 + 1 + 3,
      completion_tokens: Math.ceil(content.length / 4),
      total_tokens: 8 + Math.ceil(content.length / 4),
    })
    const again = (await (await complete(hello)).json()) as Completion
    expect([again.choices, again.usage]).toEqual([answer.choices, answer.usage])
  })

  test('repeats the person’s message if an agent’s runtime sent the last one', async () => {
    const context =
      '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>'
    const messages = [
      ...hello.messages,
      { role: 'user', content: [{ type: 'text', text: context }] },
    ]
    const answer = (await (await complete({ ...hello, messages })).json()) as Completion
    expect(answer.choices[0]?.message.content).toMatch(/You said: What is new\?$/)
  })

  test('streams the same answer in many chunks, usage last', async () => {
    const whole = (await (await complete({ ...hello, model: 'local/echo' })).json()) as Completion
    const answer = await complete({ ...hello, stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = answer
      .body!.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    const data: string[] = []
    for await (const event of events) data.push(event.data)
    expect(data.pop()).toBe('[DONE]')
    const chunks = data.map(
      (line) =>
        JSON.parse(line) as {
          choices: { delta: { content?: string }; finish_reason: string | null }[]
          usage?: object
        },
    )
    expect(chunks.pop()).toMatchObject({ choices: [], usage: whole.usage })
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? '')
    expect(pieces.filter(Boolean).length).toBeGreaterThan(10)
    expect(pieces.join('')).toBe(whole.choices[0]?.message.content)
  })

  test('stops at max_tokens', async () => {
    const answer = (await (await complete({ ...hello, max_tokens: 3 })).json()) as Completion
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length' })
    expect(answer.usage['completion_tokens']).toBe(3)
  })

  test('is listed', async () => {
    const answer = await fetch(`${provider.baseUrl}/models`)
    expect(await answer.json()).toMatchObject({ object: 'list', data: [{ id: 'echo' }] })
  })

  test.each([
    ['another model', { ...hello, model: 'gpt-4o' }, 404, 'model_not_found', 'model'],
    ['no messages', { model: 'echo', messages: [] }, 400, 'invalid_request', 'messages'],
    ['no JSON', '{', 400, 'invalid_request', null],
  ])('rejects %s in OpenAI’s format', async (_what, body, status, code, param) => {
    const answer = await complete(body)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', code, param },
    })
  })
})

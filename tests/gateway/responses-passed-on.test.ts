import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, fails } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

const hello: OpenAI.Responses.ResponseCreateParamsNonStreaming = { model, input: 'Hello' }

const message = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi there', annotations: [], logprobs: [] }],
}

const begun = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: 'claude-2026',
  output: [],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  a_new_field: 1,
}

const completed = {
  ...begun,
  status: 'completed',
  output: [message],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 90 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 2 },
    total_tokens: 107,
  },
}

const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const empty = { type: 'output_text', text: '', annotations: [], logprobs: [] }

/** The events of a response as OpenAI sends them. */
const events: readonly (Record<string, unknown> & { type: string })[] = [
  { type: 'response.created', response: begun },
  { type: 'response.in_progress', response: begun },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...message, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...place, part: empty },
  { type: 'response.output_text.delta', ...place, delta: 'Hi', logprobs: [], obfuscation: 'x' },
  { type: 'response.output_text.delta', ...place, delta: ' there', logprobs: [] },
  { type: 'response.output_text.done', ...place, text: 'Hi there', logprobs: [] },
  { type: 'response.content_part.done', ...place, part: message.content[0] },
  { type: 'response.output_item.done', output_index: 0, item: message },
  { type: 'response.completed', response: completed },
].map((event, sequence_number) => Object.assign(event, { sequence_number }))

const textOf = (sent: typeof events) =>
  sent.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

/** @param ends false if the connection is cut after the events */
function native(sent = events, ends = true): Behaviour {
  return (response, { body }) => {
    if (body.stream !== true)
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(completed, null, 2))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(textOf(sent), () => (ends ? response.end() : response.destroy()))
  }
}

describe('Responses over a provider that serves Responses', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,responses', AI_API_KEY: 'their-key' })

  async function streamed(request = hello): Promise<string> {
    const answer = await on.caller.openai.responses
      .create({ ...request, stream: true })
      .asResponse()
    return answer.text()
  }

  it('passes requests on without storing, and answers on byte for byte', async () => {
    on.upstream.serve(model, native())
    const request = {
      ...hello,
      input: [
        { role: 'user' as const, content: 'Hello', a_new_field: 1 },
        { type: 'compaction' as const, encrypted_content: 'theirs' },
      ],
      tools: [{ type: 'apply_patch' as const }],
      prompt_cache_key: 'key',
      include: ['reasoning.encrypted_content' as const],
    }
    const whole = await on.caller.openai.responses.create(request).asResponse()
    expect(await whole.text()).toBe(JSON.stringify(completed, null, 2))
    expect(await streamed(request)).toBe(textOf(events))
    const { path, authorization, body } = on.upstream.asked[0]!
    expect({ path, authorization }).toEqual({
      path: '/responses',
      authorization: 'Bearer their-key',
    })
    expect(body).toEqual({
      ...request,
      input: [{ ...request.input[0], type: 'message' }, request.input[1]],
      store: false,
    })
    const event = {
      inputTokens: 100,
      cacheReadTokens: 90,
      outputTokens: 7,
      reasoningTokens: 2,
      estimated: false,
      endpoint: '/v1/responses',
    }
    expect(await on.caller.events()).toMatchObject([event, event])
  })

  it('leaves out unknown fields, and names them', async () => {
    on.upstream.serve(model, native())
    const answer = await on.caller.openai.responses
      .create({ ...hello, premium: true } as typeof hello)
      .asResponse()
    expect(answer.headers.get('x-ignored-fields')).toBe('premium')
    expect(on.upstream.asked[0]?.body).toEqual({ ...hello, store: false })
  })

  it('leaves out reasoning of a translated answer, which the provider would refuse', async () => {
    on.upstream.serve(model, native())
    const sealed = `chat.${Buffer.from('{"field":"reasoning"}').toString('base64url')}`
    const input: OpenAI.Responses.ResponseInput = [sealed, 'theirs'].map((encrypted_content) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content,
    }))
    input.push({ role: 'user', content: 'Hi' })
    await on.caller.openai.responses.create({ ...hello, input })
    expect(on.upstream.asked[0]?.body.input).toMatchObject([
      { encrypted_content: 'theirs' },
      { role: 'user' },
    ])
  })

  const beforeContent = 2
  it.each(events.slice(beforeContent, -1).map(({ type }, i) => [type, i + beforeContent] as const))(
    'ends a stream that is cut after %s (%i) by response.failed',
    async (_, last) => {
      const sent = events.slice(0, last + 1)
      on.upstream.serve(model, native(sent, false))
      const text = await streamed()
      expect(text.slice(0, textOf(sent).length)).toBe(textOf(sent))
      const [name, data, ...rest] = text.slice(textOf(sent).length).trim().split('\n')
      expect(name).toBe('event: response.failed')
      expect(rest).toEqual([])
      expect(JSON.parse(data!.slice('data: '.length))).toMatchObject({
        type: 'response.failed',
        sequence_number: last + 1,
        response: {
          id: 'resp_1',
          status: 'failed',
          error: { code: 'AI_INTERRUPTED' },
          output: sent.at(-1)?.type === 'response.output_item.done' ? [message] : [],
        },
      })
      expect(await on.caller.events()).toMatchObject([{ success: false }])
    },
  )

  it('completes an answer whose connection is cut after its last event', async () => {
    on.upstream.serve(model, native(events, false))
    expect(await streamed()).toBe(textOf(events))
    expect(await on.caller.events()).toMatchObject([{ success: true, outputTokens: 7 }])
  })

  it.each([
    ['a cut stream', native(events.slice(0, 2), false)],
    [
      'a failed response',
      native([
        events[0]!,
        { type: 'response.failed', response: { error: { code: 'server_error', message: 'Busy' } } },
      ]),
    ],
    ['an error event', native([{ type: 'error', code: 'server_error', message: 'Busy' }])],
  ])('tries the next model after %s before the first content', async (_, behaviour) => {
    on.upstream.serve(model, behaviour)
    await expect(on.caller.openai.responses.create({ ...hello, stream: true })).rejects.toThrow(
      OpenAI.APIError,
    )
    expect(on.upstream.asked.length).toBeGreaterThan(1)
  })

  it('names the model of a fallback by its platform id', async () => {
    on.upstream.serve(model, fails(503))
    await expect(on.caller.openai.responses.create(hello)).rejects.toThrow(OpenAI.APIError)
    const fallback = on.upstream.asked[1]!.model
    on.upstream.serve(fallback, native())
    const answer = await on.caller.openai.responses.create(hello)
    expect(answer.model).toBe(fallback)
    const { model: named } = await on.caller.openai.responses.stream(hello as never).finalResponse()
    expect(named).toBe(fallback)
  })

  it('writes the limit into the request, and ends an answer that exceeds it', async () => {
    const long = 'word '.repeat(400)
    on.upstream.serve(
      model,
      native([
        ...events.slice(0, 4),
        { type: 'response.output_text.delta', ...place, delta: long, sequence_number: 4 },
        ...events.slice(6),
      ]),
    )
    const request = { ...hello, max_output_tokens: 20 }
    const answer = await on.caller.openai.responses.stream(request as never).finalResponse()
    expect(on.upstream.asked[0]?.body).toMatchObject({ max_output_tokens: 20 })
    expect(answer).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 20 },
    })
    expect(answer.output_text).toBe(long.slice(0, 80))
  })

  it('passes on the reason why the provider refuses a request', async () => {
    on.upstream.serve(model, fails(400, 'input: too long'))
    await expect(on.caller.openai.responses.create(hello)).rejects.toThrow(/too long/)
  })
})

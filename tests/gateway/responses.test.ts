import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { type Behaviour, delta, says, sendJson, sendStream, usage } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

type Request = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Event = OpenAI.Responses.ResponseStreamEvent
type Answer = OpenAI.Responses.Response

const hello: Request = { model, input: 'Hello' }

const weather = {
  type: 'function' as const,
  name: 'get_weather',
  description: 'Returns the weather of a place',
  parameters: { type: 'object', properties: { place: { type: 'string' } } },
  strict: false,
}

const patch = {
  type: 'custom' as const,
  name: 'apply_patch',
  description: 'Edits files',
  format: { type: 'grammar' as const, syntax: 'lark' as const, definition: 'start: "x"' },
}

const text = '*** Begin Patch\n+"ü" 😀\\n\n*** End Patch'

interface Called {
  name: string
  json: string
  extra?: object
}

/** Thinking and tool calls, as a provider of chat completions sends them. */
function calls(...called: Called[]): Behaviour {
  return (response, { body }) => {
    if (body.stream !== true)
      return sendJson(response, 200, {
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              reasoning_content: 'Which place?',
              tool_calls: called.map(({ name, json, extra }, i) => ({
                id: `call_${i}`,
                type: 'function',
                ...extra,
                function: { name, arguments: json },
              })),
            },
            finish_reason: 'tool_calls',
          },
        ],
        usage: usage(20, 9, { completion_tokens_details: { reasoning_tokens: 4 } }),
      })
    return sendStream(response, [
      delta({ role: 'assistant', reasoning_content: 'Which ' }),
      delta({ reasoning_content: 'place?' }),
      ...called.flatMap(({ name, json, extra }, index) => [
        delta({
          tool_calls: [
            {
              index,
              id: `call_${index}`,
              type: 'function',
              ...extra,
              function: { name, arguments: '' },
            },
          ],
        }),
        ...(json.match(/.{1,3}/gs) ?? []).map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      delta({}, 'tool_calls'),
      {
        choices: [],
        usage: usage(20, 9, { completion_tokens_details: { reasoning_tokens: 4 } }),
      },
      '[DONE]',
    ])
  }
}

describe('Responses over a provider of chat completions', () => {
  const on = useAiFunction({})

  /** The answer to a request, and the events of a streamed one. */
  async function ask(
    request: Request,
    streamed: boolean,
  ): Promise<{ answer: Answer; events: Event[] }> {
    const { responses } = on.caller.openai
    const events: Event[] = []
    if (!streamed) return { answer: await responses.create(request), events }
    const stream = responses.stream(request as never)
    stream.on('event', (event) => void events.push(event as Event))
    return { answer: (await stream.finalResponse()) as Answer, events }
  }

  it('answers whole and streamed, and counts the call', async () => {
    const used = usage(11, 3, { prompt_tokens_details: { cached_tokens: 5 } })
    on.upstream.serve(model, says('Hi there', used))
    const { answer: whole } = await ask({ ...hello, instructions: 'Be brief' }, false)
    expect(whole).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      object: 'response',
      status: 'completed',
      model,
      output_text: 'Hi there',
      output: [{ type: 'message', status: 'completed', content: [{ type: 'output_text' }] }],
      store: false,
      error: null,
      usage: {
        input_tokens: 11,
        input_tokens_details: { cached_tokens: 5 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 14,
      },
    })
    const { answer, events } = await ask({ ...hello, max_output_tokens: 100 }, true)
    expect(answer).toMatchObject({ output_text: 'Hi there', usage: whole.usage, model })
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(
      events.map((_, index) => index),
    )
    const names = events.map(({ type }) => type)
    expect(names.slice(0, 4)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
    ])
    expect(names.slice(-4)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ])
    const event = { model, inputTokens: 11, outputTokens: 3, endpoint: '/v1/responses' }
    expect(await on.caller.events()).toMatchObject([event, event])
    expect(on.upstream.asked.map(({ path, body }) => [path, body])).toMatchObject([
      [
        '/chat/completions',
        {
          messages: [
            { role: 'system', content: 'Be brief' },
            { role: 'user', content: 'Hello' },
          ],
        },
      ],
      ['/chat/completions', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }],
    ])
  })

  it.each([false, true])(
    'calls tools, and returns thinking and opaque fields to the provider (streamed: %s)',
    async (streamed) => {
      const extra_content = { google: { thought_signature: 'sig' } }
      on.upstream.serve(
        model,
        calls(
          { name: 'get_weather', json: '{"place":"Oslo"}', extra: { extra_content } },
          { name: 'apply_patch', json: JSON.stringify({ input: text }) },
          { name: 'crm__find', json: '{}' },
          { name: 'tool_search', json: '{"query":"mail"}' },
        ),
      )
      const tools: Request['tools'] = [
        weather,
        patch,
        {
          type: 'namespace',
          name: 'crm',
          description: 'Customers',
          tools: [{ type: 'function', name: 'find', parameters: { type: 'object' } }],
        },
        { type: 'tool_search', execution: 'client', parameters: { type: 'object' } },
      ]
      const { answer, events } = await ask({ ...hello, tools }, streamed)
      const byType = Object.groupBy(answer.output, ({ type }) => type)
      expect(answer.status).toBe('completed')
      expect(answer.usage?.output_tokens_details.reasoning_tokens).toBe(4)
      expect(byType.reasoning?.[0]).toMatchObject({ summary: [{ text: 'Which place?' }] })
      expect(byType.function_call).toMatchObject([
        { call_id: 'call_0', name: 'get_weather', arguments: '{"place":"Oslo"}' },
        { call_id: 'call_2', name: 'find', namespace: 'crm', arguments: '{}' },
      ])
      expect(byType.custom_tool_call).toMatchObject([
        { call_id: 'call_1', name: 'apply_patch', input: text },
      ])
      expect(byType.tool_search_call).toMatchObject([
        { call_id: 'call_3', execution: 'client', arguments: { query: 'mail' } },
      ])
      const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
      if (streamed) {
        expect(deltas.length).toBeGreaterThan(5)
        expect(deltas.map((event) => 'delta' in event && event.delta).join('')).toBe(text)
      }

      on.upstream.serve(model, says('Cold', usage(30, 1)))
      const image = 'data:image/png;base64,iVBORw0KGgo='
      const { answer: last } = await ask(
        {
          ...hello,
          tools,
          input: [
            { role: 'user', content: 'Hello' },
            ...(answer.output as OpenAI.Responses.ResponseInputItem[]),
            {
              type: 'function_call_output',
              call_id: 'call_0',
              output: [
                { type: 'input_text', text: '-3 °C' },
                { type: 'input_image', image_url: image },
              ],
            },
            { type: 'custom_tool_call_output', call_id: 'call_1', output: 'Done' },
            { type: 'function_call_output', call_id: 'call_2', output: 'None' },
            {
              type: 'tool_search_output',
              call_id: 'call_3',
              execution: 'client',
              tools: [{ ...weather, name: 'send_mail', defer_loading: true }],
            },
            { role: 'user', content: 'And tomorrow?' },
          ],
        },
        false,
      )
      expect(last.output_text).toBe('Cold')
      const { body } = on.upstream.asked.at(-1)!
      expect(body.messages).toMatchObject([
        { role: 'user', content: 'Hello' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Which place?',
          tool_calls: [
            { id: 'call_0', type: 'function', extra_content, function: { name: 'get_weather' } },
            {
              id: 'call_1',
              function: { name: 'apply_patch', arguments: JSON.stringify({ input: text }) },
            },
            { id: 'call_2', function: { name: 'crm__find', arguments: '{}' } },
            { id: 'call_3', function: { name: 'tool_search', arguments: '{"query":"mail"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_0', content: '-3 °C\n[input_image below]' },
        { role: 'tool', tool_call_id: 'call_1', content: 'Done' },
        { role: 'tool', tool_call_id: 'call_2', content: 'None' },
        { role: 'tool', tool_call_id: 'call_3', content: expect.stringContaining('send_mail') },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] },
        { role: 'user', content: 'And tomorrow?' },
      ])
      expect(body.tools).toMatchObject([
        { function: { name: 'get_weather' } },
        { function: { name: 'apply_patch', description: expect.stringContaining('start: "x"') } },
        { function: { name: 'crm__find' } },
        { function: { name: 'tool_search' } },
        { function: { name: 'send_mail' } },
      ])
    },
  )

  it.each([
    ['the text itself', 'start\nend', 'start\nend'],
    ['line feeds in the JSON', '{"input":"a\nb"}', 'a\nb'],
    ['another field', '{"patch":"a"}', 'a'],
    ['JSON that is cut', '{ "input": "a\\nb', 'a\nb'],
  ])('reads the input of a custom tool from %s', async (_, json, input) => {
    on.upstream.serve(model, calls({ name: 'apply_patch', json }))
    const { answer, events } = await ask({ ...hello, tools: [patch] }, true)
    expect(answer.output.find(({ type }) => type === 'custom_tool_call')).toMatchObject({ input })
    const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    expect(deltas.map((event) => 'delta' in event && event.delta).join('')).toBe(input)
  })

  it('maps the format, the effort and the choice of tools, and leaves out advice', async () => {
    on.upstream.serve(model, says('{}', usage(1, 1)))
    const schema = { type: 'object', properties: {} }
    await ask(
      {
        ...hello,
        tools: [weather, patch],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [{ type: 'custom', name: 'apply_patch' }],
        },
        text: {
          format: { type: 'json_schema', name: 'x', schema, strict: true },
          verbosity: 'low',
        },
        reasoning: { effort: 'xhigh', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'key',
        metadata: { a: 'b' },
        truncation: 'auto',
        store: false,
        parallel_tool_calls: false,
      },
      false,
    )
    const { model: _, messages: __, tools, ...sent } = on.upstream.asked[0]!.body
    expect(tools).toMatchObject([{ function: { name: 'apply_patch' } }])
    expect(sent).toEqual({
      tool_choice: 'required',
      parallel_tool_calls: false,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
      stream: false,
    })
  })

  it.each([false, true])(
    'ends an answer at its limit as incomplete (streamed: %s)',
    async (streamed) => {
      on.upstream.serve(model, (response, { body }) =>
        body.stream === true
          ? sendStream(response, [delta({ content: 'Hel' }), delta({}, 'length'), '[DONE]'])
          : sendJson(response, 200, {
              choices: [{ index: 0, message: { content: 'Hel' }, finish_reason: 'length' }],
            }),
      )
      const { answer } = await ask({ ...hello, max_output_tokens: 20 }, streamed)
      expect(answer).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ status: 'incomplete', content: [{ text: 'Hel' }] }],
      })
    },
  )

  it('ends an answer that has its finish reason, although the stream breaks off', async () => {
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'Hi' }), delta({}, 'stop')], { end: false })
      response.destroy()
    })
    const { answer } = await ask(hello, true)
    expect(answer).toMatchObject({ status: 'completed', output_text: 'Hi' })
  })

  it('ends a stream that breaks off by response.failed', async () => {
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'Hel' })], { end: false })
      response.destroy()
    })
    const events: Event[] = []
    for await (const event of await on.caller.openai.responses.create({ ...hello, stream: true }))
      events.push(event)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      sequence_number: events.length - 1,
      response: { status: 'failed', error: { code: 'AI_INTERRUPTED' } },
    })
    expect(await on.caller.events()).toMatchObject([{ success: false }])
  })
})

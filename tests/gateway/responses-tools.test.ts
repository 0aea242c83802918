import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { createResponse, type ResponsesRequest } from '../support/ai/responses.ts'
import { type Behaviour, delta, says, sendJson, sendStream, usage } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

const hello: ResponsesRequest = { model, input: 'Hello' }

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
      ...called.flatMap(streamedCall),
      delta({}, 'tool_calls'),
      {
        choices: [],
        usage: usage(20, 9, { completion_tokens_details: { reasoning_tokens: 4 } }),
      },
      '[DONE]',
    ])
  }
}

function streamedCall({ name, json, extra }: Called, index: number): object[] {
  const call = { index, id: `call_${index}`, type: 'function', ...extra }
  const pieces = json.match(/.{1,3}/gs) ?? []
  return [
    delta({ tool_calls: [{ ...call, function: { name, arguments: '' } }] }),
    ...pieces.map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
  ]
}

describe('Tools of Responses over a provider of chat completions', () => {
  const on = useAiFunction({})

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
      const tools: ResponsesRequest['tools'] = [
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
      const { answer, events } = await createResponse(
        on.caller.openai,
        { ...hello, tools },
        { streamed },
      )
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
      const { answer: last } = await createResponse(
        on.caller.openai,
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
        { streamed: false },
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
    const { answer, events } = await createResponse(
      on.caller.openai,
      { ...hello, tools: [patch] },
      { streamed: true },
    )
    expect(answer.output.find(({ type }) => type === 'custom_tool_call')).toMatchObject({ input })
    const deltas = events.filter(({ type }) => type === 'response.custom_tool_call_input.delta')
    expect(deltas.map((event) => 'delta' in event && event.delta).join('')).toBe(input)
  })
})

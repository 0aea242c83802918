import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { plays, signature } from '../support/ai/played.ts'
import type { Turn } from '../support/ai/turn.ts'
import { type Behaviour, delta, says, sendJson, sendStream, usage } from '../support/ai/upstream.ts'

const model = 'anthropic/claude-sonnet-4.5'

const hello: Anthropic.MessageCreateParamsNonStreaming = {
  model,
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Hello' }],
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')

const media: Anthropic.ContentBlockParam[] = [
  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
  { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
  {
    type: 'document',
    title: 'Report',
    source: { type: 'base64', media_type: 'application/pdf', data: pdf },
    cache_control: { type: 'ephemeral' },
  },
  { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Plain words' } },
  { type: 'text', text: 'What is in them?' },
]

const tool: Anthropic.Tool = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { place: { type: 'string' } } },
}

const twoCalls: Turn = {
  thinking: 'Two places.',
  text: 'I look at both.',
  calls: [
    { id: 'call_1', name: 'get_weather', input: { place: 'Oslo' } },
    { id: 'call_2', name: 'get_weather', input: { place: 'Rome' } },
  ],
}

const uses = [
  { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { place: 'Oslo' } },
  { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { place: 'Rome' } },
]

describe('Messages over a provider of chat completions', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat' })
  const sent = () => on.upstream.asked.at(-1)?.body as { messages: object[]; stop?: string[] }

  it('translates images and documents', async () => {
    on.upstream.serve(model, says('Words', usage(9, 1)))
    await on.caller.anthropic.messages.create({
      ...hello,
      messages: [{ role: 'user', content: media }],
    })
    expect(sent().messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'text', text: 'Report' },
          {
            type: 'file',
            file: { filename: 'Report', file_data: `data:application/pdf;base64,${pdf}` },
          },
          { type: 'text', text: 'Plain words' },
          { type: 'text', text: 'What is in them?' },
        ],
      },
    ])
  })

  it('sends the image of a tool result after all results', async () => {
    on.upstream.serve(model, says('Words', usage(9, 1)))
    await on.caller.anthropic.messages.create({
      ...hello,
      tools: [tool],
      messages: [
        ...hello.messages,
        { role: 'assistant', content: uses as Anthropic.ToolUseBlockParam[] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'call_1',
              content: [{ type: 'text', text: 'A picture' }, media[0] as Anthropic.ImageBlockParam],
            },
            {
              type: 'tool_result',
              tool_use_id: 'call_2',
              is_error: true,
              content: 'No such place',
            },
          ],
        },
      ],
    })
    expect(sent().messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'A picture\n[image below]' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Error: No such place' },
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }],
      },
    ])
  })

  it.each([
    [{ type: 'auto' }, { tool_choice: 'auto' }],
    [{ type: 'any' }, { tool_choice: 'required' }],
    [{ type: 'none' }, { tool_choice: 'none' }],
    [
      { type: 'tool', name: 'get_weather', disable_parallel_tool_use: true },
      {
        tool_choice: { type: 'function', function: { name: 'get_weather' } },
        parallel_tool_calls: false,
      },
    ],
  ] as const)('translates the tool choice %j', async (tool_choice, translated) => {
    on.upstream.serve(model, says('x', usage(9, 1)))
    await on.caller.anthropic.messages.create({ ...hello, tools: [tool], tool_choice })
    expect(sent()).toMatchObject(translated)
  })

  it('passes on parallel tool calls whose pieces are mixed', async () => {
    const piece = (index: number, fields: object, json: string, name?: string) =>
      delta({
        tool_calls: [{ index, ...fields, function: { ...(name && { name }), arguments: json } }],
      })
    on.upstream.serve(model, (response) =>
      sendStream(response, [
        piece(0, { id: 'call_1', type: 'function' }, '', 'get_weather'),
        piece(1, { id: 'call_2', type: 'function' }, '', 'get_weather'),
        piece(0, {}, '{"place":'),
        piece(1, {}, '{"place":"R'),
        piece(0, {}, '"Oslo"}'),
        piece(1, {}, 'ome"}'),
        delta({}, 'tool_calls'),
        { choices: [], usage: usage(9, 5) },
        '[DONE]',
      ]),
    )
    const request = { ...hello, tools: [tool] }
    const message = await on.caller.anthropic.messages.stream(request).finalMessage()
    expect(message.content).toEqual(uses)
    expect(message.stop_reason).toBe('tool_use')
  })

  it.each(['whole', 'streamed'])('returns thinking to its provider unchanged: %s', async (form) => {
    on.upstream.serve(
      model,
      plays(() => twoCalls),
    )
    const { messages } = on.caller.anthropic
    const request = { ...hello, tools: [tool] }
    const first =
      form === 'whole'
        ? await messages.create(request)
        : await messages.stream(request).finalMessage()
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Two places.', signature: expect.stringMatching(/./) },
      { type: 'text', text: 'I look at both.' },
      ...uses,
    ])
    await messages.create({
      ...request,
      messages: [
        ...hello.messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: uses.map(({ id }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: 'Rain',
          })),
        },
      ],
    })
    expect(sent().messages[1]).toMatchObject({
      role: 'assistant',
      content: 'I look at both.',
      reasoning_content: 'Two places.',
      tool_calls: [{ id: 'call_1' }, { id: 'call_2' }],
    })
  })

  it('names the sequence that stopped the model', async () => {
    const stops: Behaviour = (response) =>
      sendJson(response, 200, {
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'One' },
            finish_reason: 'stop',
            stop_reason: 'END',
          },
        ],
        usage: usage(9, 1),
      })
    on.upstream.serve(model, stops)
    const message = await on.caller.anthropic.messages.create({ ...hello, stop_sequences: ['END'] })
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
    expect(sent().stop).toEqual(['END'])
  })
})

describe('Messages over a provider that serves Messages', () => {
  const on = useAiFunction({ AI_SPEAKS: 'chat,messages' })

  const request: Anthropic.MessageCreateParamsNonStreaming = {
    ...hello,
    system: [{ type: 'text', text: 'Be brief', cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: media }],
    tools: [tool],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    max_tokens: 2_000,
    stop_sequences: ['END'],
    metadata: { user_id: 'someone' },
  }

  it.each(['whole', 'streamed'])('passes on every field and block: %s', async (form) => {
    on.upstream.serve(
      model,
      plays(() => twoCalls),
    )
    const { messages } = on.caller.anthropic
    const first =
      form === 'whole'
        ? await messages.create(request)
        : await messages.stream(request).finalMessage()
    expect(first.content).toEqual([
      { type: 'thinking', thinking: 'Two places.', signature },
      { type: 'text', text: 'I look at both.' },
      ...uses,
    ])
    const history: Anthropic.MessageParam[] = [
      ...request.messages,
      { role: 'assistant', content: first.content },
      {
        role: 'user',
        content: uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Rain' })),
      },
    ]
    await messages.create({ ...request, messages: history })
    expect(on.upstream.asked.at(-1)?.body).toEqual({ ...request, messages: history, stream: false })
  })
})

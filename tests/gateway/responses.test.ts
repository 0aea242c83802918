import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'
import { createResponse, type ResponsesRequest } from '../support/ai/responses.ts'
import { delta, says, sendJson, sendStream, usage } from '../support/ai/upstream.ts'

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

describe('Responses over a provider of chat completions', () => {
  const on = useAiFunction({})

  it('answers whole and streamed, and counts the call', async () => {
    const used = usage(11, 3, { prompt_tokens_details: { cached_tokens: 5 } })
    on.upstream.serve(model, says('Hi there', used))
    const { answer: whole } = await createResponse(
      on.caller.openai,
      { ...hello, instructions: 'Be brief' },
      { streamed: false },
    )
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
    const { answer, events } = await createResponse(
      on.caller.openai,
      { ...hello, max_output_tokens: 100 },
      { streamed: true },
    )
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

  it('maps the format, the effort and the choice of tools, and leaves out advice', async () => {
    on.upstream.serve(model, says('{}', usage(1, 1)))
    const schema = { type: 'object', properties: {} }
    await createResponse(
      on.caller.openai,
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
      { streamed: false },
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
      const { answer } = await createResponse(
        on.caller.openai,
        { ...hello, max_output_tokens: 20 },
        { streamed },
      )
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
    const { answer } = await createResponse(on.caller.openai, hello, { streamed: true })
    expect(answer).toMatchObject({ status: 'completed', output_text: 'Hi' })
  })

  it('ends a stream that breaks off by response.failed', async () => {
    on.upstream.serve(model, async (response) => {
      await sendStream(response, [delta({ content: 'Hel' })], { end: false })
      response.destroy()
    })
    const events: object[] = []
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

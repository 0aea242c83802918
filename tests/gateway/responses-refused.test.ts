import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { useAiFunction } from '../support/ai/ai-function.ts'

const model = 'anthropic/claude-sonnet-4.5'

const part = (fields: object) => ({ input: [{ role: 'user', content: [fields] }] })

describe('Responses', () => {
  const on = useAiFunction({})

  it.each([
    ['store', { store: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' } }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['service_tier', { service_tier: 'priority' }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
    ['tools.0.type', { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://x.org' }] }],
    ['tools.0.type', { tools: [{ type: 'apply_patch' }] }],
    [
      'tools.0.environment.type',
      { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    ],
    ['tool_choice.type', { tool_choice: { type: 'apply_patch' } }],
    ['text.format.type', { text: { format: { type: 'xml' } } }],
    ['input', { input: [] }],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input.0.type', { input: [{ type: 'web_search_call', id: 'ws_1' }] }],
    ['input.0.type', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input.0.type', { input: [{ type: 'unknown' }] }],
    ['input.0.role', { input: [{ role: 'tool', content: 'x' }] }],
    ['input.0.content.0.type', part({ type: 'video' })],
    [
      'input.0.content.0.file_id',
      part({ type: 'input_file', file_id: 'file_1', file_data: 'YWJj' }),
    ],
    [
      'input.1.output.file_id',
      {
        input: [
          { type: 'computer_call', call_id: 'x' },
          { type: 'computer_call_output', call_id: 'x', output: { file_id: 'file_1' } },
        ],
      },
    ],
    ['input.0.content.0.file_data', part({ type: 'input_file', file_data: '#' })],
    [
      'input.0.content.0.image_url',
      part({ type: 'input_image', image_url: 'data:image/png;base64,#' }),
    ],
    ['input.0.call_id', { input: [{ type: 'function_call_output', call_id: 'x', output: '' }] }],
    ['input.0.call_id', { input: [{ type: 'custom_tool_call_output', call_id: 'x', output: '' }] }],
  ])('refuses a request by the name of its field: %s in %j', async (param, change) => {
    const refused = await on.caller.openai.responses
      .create({ model, input: 'Hello', ...change } as never)
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError)
    expect(refused).toMatchObject({
      param,
      type: 'invalid_request_error',
      message: expect.stringContaining(param.split('.').at(-1)!),
    })
    expect(on.upstream.asked).toEqual([])
    expect(await on.caller.events()).toEqual([])
  })
})

import {
  begun,
  called,
  callDelta,
  chunk,
  counted,
  events,
  json,
  lastChunk,
  oneCall,
  oslo,
  rome,
  type Shape,
  usage,
  weather,
  weathers,
  whole,
} from './shape.ts'

const expected = { calls: weather, finish: 'tool_calls', usage: counted } as const

/** A signed block of a Claude model, at Databricks. */
const summary = { type: 'summary_text', text: 'Look outside.', signature: 'EqQBCgIYAhIM' }
const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Look outside.' }] }
const detail = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
const signed = { type: 'thinking', thinking: 'Look outside.', signature: 'EqQBCgIYAhIM' }

/** Tool calls of vendors and routers that have no further shape with a call. */
export const tools: readonly Shape[] = [
  {
    vendor: 'Databricks',
    how: 'a call after a signed reasoning part, which must come back in the content',
    source: 'https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models',
    stream: events(
      chunk({
        role: 'assistant',
        content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Look ' }] }],
      }),
      chunk({
        content: [
          {
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'outside.', signature: '' }],
          },
        ],
      }),
      chunk({ content: [{ type: 'reasoning', summary: [{ ...summary, text: '' }] }] }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } })),
      chunk(callDelta({ index: 0, function: { arguments: oslo } })),
      chunk({}, 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ content: [{ type: 'reasoning', summary: [summary] }] }),
    expected: {
      ...expected,
      opaque: { message: { content: [{ type: 'reasoning', summary: [summary] }] } },
    },
  },
  {
    vendor: 'Mistral',
    how: 'a whole call after thinking parts, which must come back in the content',
    source: 'https://docs.mistral.ai/capabilities/reasoning',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: [{ ...thinking, thinking: [{ type: 'text', text: 'Look ' }] }] }),
      chunk({ content: [{ ...thinking, thinking: [{ type: 'text', text: 'outside.' }] }] }),
      chunk(callDelta({ id: 'D681PevKs', function: called, index: 0 }), 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ content: [thinking] }, 'tool_calls', 'D681PevKs'),
    expected: {
      ...expected,
      opaque: { message: { content: [thinking] }, call: { id: 'D681PevKs' } },
    },
  },
  {
    vendor: 'Mistral',
    how: 'calls without a type, and with the id null as text',
    source: 'https://github.com/langchain-ai/langchain/issues/38676',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(
        {
          tool_calls: [
            { id: 'null', function: called, index: 0 },
            { id: 'null', function: rome, index: 1 },
          ],
        },
        'tool_calls',
        { usage },
      ),
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'null', function: called },
            { id: 'null', function: rome },
          ],
        },
        'tool_calls',
      ),
    ),
    expected: { ...expected, calls: weathers },
  },
  {
    vendor: 'OpenRouter',
    how: 'a reasoning block that ends by a signature alone',
    source: 'https://github.com/earendil-works/pi/issues/9534',
    stream: events(
      chunk({ role: 'assistant', reasoning_details: [{ ...detail, text: 'Look ' }] }),
      chunk({ reasoning_details: [{ ...detail, text: 'outside.' }] }),
      chunk({ reasoning_details: [{ ...detail, signature: 'EqQBCgIYAhIM' }] }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } })),
      chunk(callDelta({ index: 0, type: 'function', function: { arguments: oslo } })),
      chunk({ role: 'assistant', content: '' }, 'tool_calls', {
        native_finish_reason: 'tool_use',
      }),
      chunk({ role: 'assistant', content: '' }, null, { usage: { ...usage, cost: 0.25 } }),
      '[DONE]',
    ),
    whole: oneCall({
      reasoning_details: [{ ...detail, text: 'Look outside.', signature: 'EqQBCgIYAhIM' }],
    }),
    expected: {
      ...expected,
      opaque: {
        message: {
          reasoning_details: [{ ...detail, text: 'Look outside.', signature: 'EqQBCgIYAhIM' }],
        },
      },
    },
  },
  {
    vendor: 'LiteLLM',
    how: 'a signed block that repeats all thinking before it',
    source: 'https://github.com/open-webui/open-webui/pull/29860',
    stream: events(
      chunk({
        role: 'assistant',
        reasoning_content: 'Look ',
        thinking_blocks: [{ type: 'thinking', thinking: 'Look ' }],
      }),
      chunk({
        reasoning_content: 'outside.',
        thinking_blocks: [{ type: 'thinking', thinking: 'outside.' }],
      }),
      chunk({ reasoning_content: '', thinking_blocks: [signed] }),
      chunk(callDelta({ ...begun, function: called })),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ reasoning_content: 'Look outside.', thinking_blocks: [signed] }),
    expected: {
      ...expected,
      opaque: { message: { reasoning_content: 'Look outside.', thinking_blocks: [signed] } },
    },
  },
  {
    vendor: 'Groq',
    how: 'reasoning, and a whole call in one chunk',
    source: 'https://console.groq.com/docs/tool-use',
    stream: events(
      chunk({ role: 'assistant', content: null, reasoning: 'Look outside.' }, null, {
        x_groq: { id: 'req_1' },
      }),
      chunk(callDelta({ ...begun, id: 'fc_1', function: called })),
      chunk({}, 'tool_calls', { x_groq: { id: 'req_1', usage } }),
      '[DONE]',
    ),
    whole: oneCall({ content: undefined, reasoning: 'Look outside.' }, 'tool_calls', 'fc_1'),
    expected: { ...expected, opaque: { message: { reasoning: 'Look outside.' } } },
  },
  {
    vendor: 'Together',
    how: 'an empty call list beside text, and arguments in pieces without an id',
    source: 'https://docs.together.ai/docs/function-calling',
    stream: events(
      chunk({ role: 'assistant', content: '', tool_calls: [] }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } })),
      chunk(callDelta({ index: 0, function: { name: '', arguments: '{"city"' } })),
      chunk(callDelta({ index: 0, function: { name: '', arguments: ': "Oslo"}' } })),
      chunk({ content: '' }, 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ content: '' }),
    expected,
  },
  {
    vendor: 'Fireworks',
    how: 'reasoning_content that must come back, and a call whose name is alone in its chunk',
    source: 'https://docs.fireworks.ai/guides/function-calling',
    stream: events(
      chunk({ role: 'assistant' }, null, { usage: null }),
      chunk({ reasoning_content: 'Look ' }),
      chunk({ reasoning_content: 'outside.' }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: null } })),
      chunk(callDelta({ index: 0, function: { name: null, arguments: oslo } })),
      chunk({}, 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ reasoning_content: 'Look outside.' }),
    expected: { ...expected, opaque: { message: { reasoning_content: 'Look outside.' } } },
  },
  {
    vendor: 'DeepInfra',
    how: 'two calls in one chunk, both with the count so far',
    source: 'https://docs.deepinfra.com/chat/tool-calling',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(
        {
          tool_calls: [
            { ...begun, function: called },
            { index: 1, id: 'call_2', type: 'function', function: rome },
          ],
        },
        null,
        { usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 } },
      ),
      chunk({ content: '' }, 'tool_calls', { usage: { ...usage, estimated_cost: 0.00001 } }),
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: '',
          name: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: called },
            { id: 'call_2', type: 'function', function: rome },
          ],
        },
        'tool_calls',
      ),
    ),
    expected: { ...expected, calls: weathers },
  },
  {
    vendor: 'Cohere',
    how: 'a plan as text before the call, and the vendor’s word for the end',
    source: 'https://docs.cohere.com/docs/compatibility-api',
    stream: events(
      chunk({ role: 'assistant', content: null, tool_plan: 'I will look.' }),
      chunk(
        callDelta({
          ...begun,
          id: 'get_weather_k2',
          function: { name: 'get_weather', arguments: '' },
        }),
      ),
      chunk(callDelta({ index: 0, function: { arguments: oslo } })),
      chunk({}, 'TOOL_CALL', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ tool_plan: 'I will look.' }, 'TOOL_CALL', 'get_weather_k2'),
    expected: { ...expected, opaque: { message: { tool_plan: 'I will look.' } } },
  },
]

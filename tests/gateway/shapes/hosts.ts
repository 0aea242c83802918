import {
  called,
  callDelta,
  chunk,
  counted,
  events,
  hello,
  json,
  lastChunk,
  type Shape,
  said,
  saidChunks,
  usage,
  weather,
  whole,
} from './shape.ts'

const signature = { google: { thought_signature: 'EjQKMgEMOdbHJChLX75QUCJj' } }

/** Vendors and hosts of models, each in its own OpenAI form. */
export const hosts: readonly Shape[] = [
  {
    vendor: 'Google Gemini',
    how: 'calls without index, with a signature that must come back, and stop as their end',
    source: 'https://github.com/open-webui/computer/issues/224',
    stream: events(
      chunk({
        role: 'assistant',
        ...callDelta({ id: 'fc-1', type: 'function', function: called, extra_content: signature }),
      }),
      chunk(
        callDelta({
          id: 'fc-2',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
        }),
      ),
      chunk({ role: 'assistant' }, 'stop', { usage }),
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          tool_calls: [
            { id: 'fc-1', type: 'function', function: called, extra_content: signature },
            {
              id: 'fc-2',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
            },
          ],
        },
        'stop',
      ),
    ),
    expected: {
      calls: [...weather, { name: 'get_weather', arguments: { city: 'Rome' } }],
      finish: 'tool_calls',
      usage: counted,
      opaque: { call: { extra_content: signature } },
    },
  },
  {
    vendor: 'Google Gemini',
    how: 'arguments in pieces without index and id, and the end in finishReason',
    source: 'https://github.com/jakobdylanc/llmcord/issues/84',
    stream: events(
      chunk(
        callDelta({
          id: 'fc-1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":' },
        }),
      ),
      chunk(callDelta({ function: { arguments: '"Oslo"}' } })),
      { choices: [{ index: 0, delta: {}, finish_reason: null, finishReason: 'stop' }], usage },
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Google Gemini',
    how: 'all calls with index 0 and an empty id, each whole',
    source: 'https://github.com/Gitlawb/openclaude/pull/1394',
    stream: events(
      chunk(callDelta({ index: 0, id: '', type: 'function', function: called })),
      chunk(
        callDelta({
          index: 0,
          id: '',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":"Rome"}' },
        }),
      ),
      chunk({}, 'STOP', { usage }),
      '[DONE]',
    ),
    expected: {
      calls: [...weather, { name: 'get_weather', arguments: { city: 'Rome' } }],
      finish: 'tool_calls',
      usage: counted,
    },
  },
  {
    vendor: 'Anthropic',
    how: 'calls numbered from 1, arguments empty for a tool without any',
    source: 'https://docs.anthropic.com/en/api/openai-sdk',
    stream: events(
      chunk({ role: 'assistant', content: 'Hello ' }),
      chunk({ content: 'there.' }),
      chunk(
        callDelta({
          index: 1,
          id: 'toolu_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '' },
        }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          ...said,
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
          ],
        },
        'tool_use',
      ),
    ),
    expected: {
      content: hello,
      calls: [{ name: 'get_weather', arguments: {} }],
      finish: 'tool_calls',
      usage: counted,
    },
  },
  {
    vendor: 'xAI',
    how: 'a call in one piece, the count with choices before an empty chunk',
    source: 'https://github.com/BerriAI/litellm/issues/17136',
    stream: events(
      chunk({
        role: 'assistant',
        ...callDelta({ index: 0, id: 'call_1', type: 'function', function: called }),
      }),
      chunk({}, 'tool_calls', { usage }),
      { id: 'chatcmpl-9', object: 'chat.completion.chunk', choices: [], usage: null },
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Mistral',
    how: 'a list of thinking and text as content, the count with the end',
    source: 'https://github.com/NousResearch/hermes-agent/pull/4748',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk({
        content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: false }],
      }),
      chunk({ content: [{ type: 'text', text: 'Hello ' }] }),
      chunk({ content: 'there.' }, 'stop', { usage }),
      '[DONE]',
    ),
    whole: json(
      whole({
        role: 'assistant',
        tool_calls: null,
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: hello },
        ],
      }),
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Groq',
    how: 'the count in x_groq, an empty list of calls in each delta',
    source: 'https://github.com/Portkey-AI/gateway/issues/1338',
    stream: events(
      chunk({ role: 'assistant', content: '', tool_calls: [] }, null, { x_groq: { id: 'req_1' } }),
      chunk({ role: 'assistant', content: hello, tool_calls: [] }),
      chunk({}, 'stop', { x_groq: { id: 'req_1', usage: { queue_time: 0.1, ...usage } } }),
      '[DONE]',
    ),
    whole: json(whole({ ...said, reasoning: 'Hm.' }, 'stop', { x_groq: { id: 'req_1' } })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Together',
    how: 'text beside the delta, the count with the end, the vendor’s word for it',
    source: 'https://docs.together.ai/docs/chat-overview',
    stream: events(
      {
        id: 'o1',
        object: 'chat.completion.chunk',
        choices: [
          {
            index: 0,
            text: 'Hello ',
            logprobs: null,
            finish_reason: null,
            delta: { token_id: 7, role: 'assistant', content: 'Hello ', tool_calls: null },
          },
        ],
        usage: null,
      },
      {
        id: 'o1',
        object: 'chat.completion.chunk',
        choices: [
          {
            index: 0,
            text: 'there.',
            seed: 1,
            finish_reason: 'eos',
            delta: { token_id: 8, role: 'assistant', content: 'there.', tool_calls: null },
          },
        ],
        usage,
      },
      '[DONE]',
    ),
    whole: json(whole({ ...said, tool_calls: [] }, 'eos', { prompt: [] })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Fireworks',
    how: 'no choices but usage null in each chunk, and reasoning',
    source: 'https://docs.fireworks.ai/api-reference/post-chatcompletions',
    stream: events(
      chunk({ role: 'assistant' }, null, { usage: null }),
      chunk({ reasoning_content: 'Hm.' }, null, { usage: null }),
      chunk({ content: hello }, null, { usage: null }),
      chunk({}, 'stop', { usage }),
      '[DONE]',
    ),
    whole: json(whole({ ...said, reasoning_content: 'Hm.' })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'DeepInfra',
    how: 'a count in every chunk, as it goes along, with an estimate of the cost',
    source: 'https://docs.deepinfra.com/chat/overview',
    stream: events(
      chunk({ role: 'assistant', content: '' }, null, {
        usage: { prompt_tokens: 11, completion_tokens: 0, total_tokens: 11 },
      }),
      chunk({ content: hello }, null, {
        usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 },
      }),
      chunk({ content: '' }, 'stop', { usage: { ...usage, estimated_cost: 0.00001 } }),
      '[DONE]',
    ),
    whole: json(whole({ ...said, name: null, tool_calls: null })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Perplexity',
    how: 'the message so far beside each delta, with citations and a count',
    source: 'https://github.com/open-webui/open-webui/issues/9927',
    stream: events(
      ...[
        ['Hello ', 'Hello ', null],
        ['there.', hello, null],
        ['', hello, 'stop'],
      ].map(([delta, message, finish]) => ({
        id: 'p1',
        object: 'chat.completion.chunk',
        citations: ['https://example.com'],
        usage: { ...usage, search_context_size: 'low' },
        choices: [
          {
            index: 0,
            finish_reason: finish,
            message: { role: 'assistant', content: message },
            delta: { role: 'assistant', content: delta },
          },
        ],
      })),
    ),
    whole: json(whole(said, 'stop', { citations: ['https://example.com'] })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Cohere',
    how: 'the vendor’s words for the end, in capitals',
    source: 'https://docs.cohere.com/docs/compatibility-api',
    stream: events(...saidChunks.slice(0, 3), chunk({}, 'COMPLETE', { usage }), '[DONE]'),
    whole: json(whole(said, 'MAX_TOKENS')),
    expected: { content: hello, usage: counted },
  },
]

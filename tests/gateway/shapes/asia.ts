import {
  begun,
  callDelta,
  chunk,
  counted,
  events,
  hello,
  json,
  lastChunk,
  lines,
  oneCall,
  oslo,
  type Shape,
  said,
  saidChunks,
  usage,
  weather,
  whole,
} from './shape.ts'

/** DeepSeek, Moonshot, MiniMax, Z.ai and Qwen. */
export const asia: readonly Shape[] = [
  {
    vendor: 'DeepSeek',
    how: 'keep-alive comments and empty lines, usage with the last choice',
    source: 'https://api-docs.deepseek.com/quick_start/rate_limit',
    stream: lines(
      `: keep-alive\n\n: keep-alive\n\n${
        events(
          ...saidChunks.slice(0, 3),
          chunk({ content: '' }, 'stop', { usage: { ...usage, prompt_cache_miss_tokens: 11 } }),
          '[DONE]',
        ).body
      }`,
    ),
    whole: { type: 'application/json', body: `\n\n\n\n\n${JSON.stringify(whole(said))}` },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'DeepSeek',
    how: 'reasoning_content before a call, which must come back in the next round',
    source: 'https://api-docs.deepseek.com/guides/thinking_mode#tool-calls',
    stream: events(
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: 'Look ' }),
      chunk({ content: null, reasoning_content: 'outside.' }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } })),
      chunk(callDelta({ index: 0, function: { arguments: oslo } })),
      chunk({ content: '', reasoning_content: null }, 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'Look outside.',
          tool_calls: [{ ...begun, function: { name: 'get_weather', arguments: oslo } }],
        },
        'tool_calls',
      ),
    ),
    expected: {
      calls: weather,
      finish: 'tool_calls',
      usage: counted,
      opaque: { message: { reasoning_content: 'Look outside.' } },
    },
  },
  {
    vendor: 'Moonshot',
    how: 'the count inside the last choice',
    source: 'https://github.com/earendil-works/pi/issues/2017',
    stream: events(
      ...saidChunks.slice(0, 3),
      {
        id: 'chatcmpl-9',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }],
      },
      '[DONE]',
    ),
    whole: json(whole(said)),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Moonshot',
    how: 'ids with names and numbers, reasoning that must come back',
    source: 'https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model',
    stream: events(
      chunk({ role: 'assistant', content: '', reasoning_content: 'Look.' }),
      chunk(
        callDelta({
          index: 0,
          id: 'functions.get_weather:0',
          type: 'function',
          function: { name: 'get_weather', arguments: '' },
        }),
      ),
      chunk(callDelta({ index: 0, function: { arguments: oslo } })),
      {
        id: 'chatcmpl-9',
        choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls', usage }],
      },
      '[DONE]',
    ),
    whole: oneCall({ reasoning_content: 'Look.' }, 'tool_calls', 'functions.get_weather:0'),
    expected: {
      calls: weather,
      finish: 'tool_calls',
      usage: counted,
      opaque: {
        message: { reasoning_content: 'Look.' },
        call: { id: 'functions.get_weather:0' },
      },
    },
  },
  {
    vendor: 'MiniMax',
    how: 'arguments as an object',
    source: 'https://github.com/can1357/oh-my-pi/pull/1779',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(
        callDelta({ ...begun, function: { name: 'get_weather', arguments: { city: 'Oslo' } } }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { ...begun, function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
          ],
        },
        'tool_calls',
        { base_resp: { status_code: 0, status_msg: '' }, input_sensitive: false },
      ),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'MiniMax',
    how: 'through NVIDIA NIM, the name again in every chunk',
    source: 'https://github.com/NousResearch/hermes-agent/pull/11984',
    stream: events(
      chunk({
        role: 'assistant',
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } }),
      }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '{"city":' } })),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '"Oslo"}' } })),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'MiniMax',
    how: 'ends by the whole message once more, as a completion',
    source: 'https://platform.minimaxi.com/document/ChatCompletion%20v2',
    stream: events(...saidChunks.slice(0, 3), chunk({ role: 'assistant', content: '' }, 'stop'), {
      id: 'chatcmpl-9',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: said }],
      usage,
      base_resp: { status_code: 0, status_msg: '' },
    }),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Z.ai',
    how: 'a list of text as content, reasoning, role in each chunk',
    source: 'https://github.com/NousResearch/hermes-agent/pull/94905',
    stream: events(
      chunk({ role: 'assistant', reasoning_content: 'Hm.' }),
      chunk({ role: 'assistant', content: [{ type: 'text', text: 'Hello ' }] }),
      chunk({ role: 'assistant', content: [{ type: 'text', text: 'there.' }] }),
      chunk({ role: 'assistant', content: '' }, 'stop', { usage }),
      '[DONE]',
    ),
    whole: json(whole({ ...said, content: [{ type: 'text', text: hello }] }, 'stop')),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Qwen',
    how: 'empty id and name in the pieces after the first',
    source: 'https://github.com/spring-ai-alibaba/spring-ai-extensions/pull/266',
    stream: events(
      chunk({
        role: 'assistant',
        content: null,
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } }),
      }),
      chunk(callDelta({ index: 0, id: '', function: { name: '', arguments: '{"city":' } })),
      chunk(
        callDelta({
          index: 0,
          id: '',
          type: 'function',
          function: { name: null, arguments: '"Oslo"}' },
        }),
      ),
      chunk({ content: '' }, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Qwen',
    how: 'numbers as text, and a whole message without content',
    source: 'https://help.aliyun.com/zh/model-studio/qwen-function-calling',
    stream: events(
      {
        id: 17,
        created: '1764000000',
        choices: [
          {
            index: '0',
            finish_reason: null,
            delta: {
              role: 'assistant',
              tool_calls: [
                { index: '0', id: 7, function: { name: 'get_weather', arguments: '{"city":' } },
              ],
            },
          },
        ],
      },
      {
        id: 17,
        choices: [
          {
            index: '0',
            finish_reason: 'tool_calls',
            delta: { tool_calls: [{ index: '0', id: 7, function: { arguments: '"Oslo"}' } }] },
          },
        ],
      },
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          tool_calls: [{ id: 7, function: { name: 'get_weather', arguments: oslo } }],
        },
        'tool_calls',
      ),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
]

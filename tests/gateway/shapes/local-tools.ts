import {
  begun,
  called,
  callDelta,
  chunk,
  counted,
  events,
  lastChunk,
  oneCall,
  oslo,
  rome,
  type Shape,
  usage,
  weather,
  weathers,
} from './shape.ts'

const expected = { calls: weather, finish: 'tool_calls', usage: counted } as const
const named = { name: 'get_weather', arguments: '' }

const two = {
  tool_calls: [
    { id: '0', type: 'function', function: called },
    { id: '1', type: 'function', function: rome },
  ],
}

/** Tool calls of Z.ai and of programs that serve models on your own machine. */
export const localTools: readonly Shape[] = [
  {
    vendor: 'Z.ai',
    how: 'tool_stream: reasoning, then arguments in pieces that repeat id, type and name',
    source: 'https://docs.z.ai/guides/capabilities/stream-tool',
    stream: events(
      chunk({ role: 'assistant', reasoning_content: 'Look outside.' }),
      chunk({ role: 'assistant', ...callDelta({ ...begun, function: named }) }),
      chunk({
        role: 'assistant',
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: '{"city"' } }),
      }),
      chunk({
        role: 'assistant',
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: ':"Oslo"}' } }),
      }),
      chunk({ role: 'assistant', content: '' }, 'tool_calls', { usage }),
      '[DONE]',
    ),
    whole: oneCall({ content: '', reasoning_content: 'Look outside.' }),
    expected: { ...expected, opaque: { message: { reasoning_content: 'Look outside.' } } },
  },
  {
    vendor: 'SGLang',
    how: 'an empty text before the call, then id, type and name as null',
    source: 'https://github.com/sgl-project/sglang/pull/35542',
    stream: events(
      chunk({ role: 'assistant', content: null, tool_calls: null }),
      chunk({ content: '' }),
      chunk({ content: '', ...callDelta({ ...begun, function: named }) }),
      chunk(
        callDelta({
          index: 0,
          id: null,
          type: null,
          function: { name: null, arguments: '{"city"' },
        }),
      ),
      chunk(
        callDelta({
          index: 0,
          id: null,
          type: null,
          function: { name: null, arguments: ':"Oslo"}' },
        }),
      ),
      chunk({ content: null, tool_calls: null }, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ reasoning_content: null }),
    expected,
  },
  {
    vendor: 'SGLang',
    how: 'parallel calls that all have index 0, each with its number as id in each piece',
    source: 'https://github.com/InternLM/lmdeploy/issues/3412',
    stream: events(
      chunk(callDelta({ index: 0, id: '0', type: 'function', function: named })),
      chunk(
        callDelta({ index: 0, id: '0', type: 'function', function: { arguments: '{"city":' } }),
      ),
      chunk(callDelta({ index: 0, id: '0', type: 'function', function: { arguments: '"Oslo"}' } })),
      chunk(callDelta({ index: 0, id: '1', type: 'function', function: named })),
      chunk(
        callDelta({ index: 0, id: '1', type: 'function', function: { arguments: rome.arguments } }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall(two),
    expected: { ...expected, calls: weathers },
  },
  {
    vendor: 'vLLM',
    how: 'parallel calls that all have index 0, and an empty id after the first piece',
    source: 'https://github.com/InternLM/lmdeploy/issues/3412',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(callDelta({ index: 0, id: 'chatcmpl-tool-1', type: 'function', function: named })),
      chunk(callDelta({ index: 0, id: '', type: 'function', function: { arguments: oslo } })),
      chunk(callDelta({ index: 0, id: 'chatcmpl-tool-2', type: 'function', function: named })),
      chunk(
        callDelta({ index: 0, id: '', type: 'function', function: { arguments: rome.arguments } }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ ...two, reasoning: null, function_call: null }),
    expected: { ...expected, calls: weathers },
  },
  {
    vendor: 'vLLM',
    how: 'reasoning, and stop as the end of a forced call',
    source: 'https://docs.vllm.ai/en/latest/features/tool_calling.html',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning: 'Look ' }),
      chunk({ reasoning: 'outside.' }),
      chunk(callDelta({ ...begun, function: named })),
      chunk(callDelta({ index: 0, function: { arguments: oslo } })),
      chunk({ content: '' }, 'stop', { stop_reason: null }),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ content: '', reasoning: 'Look outside.' }, 'stop'),
    expected: { ...expected, opaque: { message: { reasoning: 'Look outside.' } } },
  },
  {
    vendor: 'LM Studio',
    how: 'a number as id, and the arguments with the end',
    source: 'https://lmstudio.ai/docs/developer/openai-compat/tools',
    stream: events(
      chunk({ role: 'assistant', ...callDelta({ ...begun, id: 365_174_485, function: named }) }),
      chunk(callDelta({ index: 0, type: 'function', function: { arguments: oslo } }), 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({
      content: '',
      tool_calls: [{ type: 'function', id: 365_174_485, function: called }],
    }),
    expected,
  },
  {
    vendor: 'llama.cpp',
    how: 'the arguments’ first characters with the name, reasoning before them',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md',
    stream: events(
      chunk({ role: 'assistant', content: null }),
      chunk({ reasoning_content: 'Look outside.' }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: '{' } })),
      chunk(callDelta({ index: 0, function: { arguments: '"city":' } })),
      chunk(callDelta({ index: 0, function: { arguments: '"Oslo"}' } })),
      chunk({}, 'tool_calls'),
      { ...lastChunk, timings: { prompt_n: 11, predicted_n: 4 } },
      '[DONE]',
    ),
    whole: oneCall({ content: '', reasoning_content: 'Look outside.' }),
    expected: { ...expected, opaque: { message: { reasoning_content: 'Look outside.' } } },
  },
  {
    vendor: 'Ollama',
    how: 'thinking as reasoning, and a whole call with empty text',
    source: 'https://docs.ollama.com/api/openai-compatibility',
    stream: events(
      chunk({ role: 'assistant', content: '', reasoning: 'Look ' }),
      chunk({ role: 'assistant', content: '', reasoning: 'outside.' }),
      chunk({ role: 'assistant', content: '', ...callDelta({ ...begun, function: called }) }),
      chunk({ role: 'assistant', content: '' }, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ content: '', reasoning: 'Look outside.' }),
    expected: { ...expected, opaque: { message: { reasoning: 'Look outside.' } } },
  },
  {
    vendor: 'KoboldCpp',
    how: 'a stream that is one chunk with the whole call',
    source: 'https://github.com/LostRuins/koboldcpp/wiki',
    stream: events(
      chunk(
        { role: 'assistant', content: null, ...callDelta({ ...begun, function: called }) },
        'tool_calls',
      ),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ content: '' }),
    expected,
  },
  {
    vendor: 'mlx-lm',
    how: 'the whole call with the end, without index',
    source: 'https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/SERVER.md',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(
        {
          role: 'assistant',
          content: '',
          ...callDelta({ function: called, type: 'function', id: null }),
        },
        'tool_calls',
      ),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({
      content: '',
      tool_calls: [{ function: called, type: 'function', id: null }],
    }),
    expected,
  },
]

import {
  called,
  rome,
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

const both = [...weather, { name: 'get_weather', arguments: { city: 'Rome' } }]

/** Programs that serve models on your own machine. */
export const local: readonly Shape[] = [
  {
    vendor: 'vLLM',
    how: 'a count in every chunk that goes along, reasoning, the last text with the end',
    source: 'https://github.com/vllm-project/vllm/pull/36944',
    stream: events(
      chunk({ role: 'assistant', content: '', reasoning: null }, null, {
        usage: { prompt_tokens: 11, completion_tokens: 0, total_tokens: 11 },
      }),
      chunk({ content: 'Hello ' }, null, {
        usage: { prompt_tokens: 11, completion_tokens: 2, total_tokens: 13 },
      }),
      {
        choices: [
          { index: 0, delta: { content: 'there.' }, finish_reason: 'length', stop_reason: null },
        ],
        usage,
      },
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole({ ...said, reasoning_content: null, tool_calls: [], function_call: null }, 'length', {
        prompt_logprobs: null,
        kv_transfer_params: null,
      }),
    ),
    expected: { content: hello, finish: 'length', usage: counted },
  },
  {
    vendor: 'vLLM',
    how: 'id and name first, then arguments with another id each',
    source: 'https://github.com/garudust-org/garudust-agent/pull/16',
    stream: events(
      chunk({ role: 'assistant' }),
      chunk(
        callDelta({
          index: 0,
          id: 'chatcmpl-tool-1',
          type: 'function',
          function: { name: 'get_weather' },
        }),
      ),
      chunk(callDelta({ index: 0, id: 'chatcmpl-tool-2', function: { arguments: '{"city":' } })),
      chunk(callDelta({ index: 0, id: 'chatcmpl-tool-3', function: { arguments: '"Oslo"}' } })),
      chunk({ content: '' }, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'SGLang',
    how: 'an empty text as finish reason in every chunk, nulls in each delta',
    source: 'https://github.com/sgl-project/sglang/issues/3912',
    stream: events(
      chunk({ role: 'assistant', content: null, tool_calls: null }, '', { usage: null }),
      chunk({ role: null, content: 'Hello ', tool_calls: null }, '', { usage: null }),
      chunk({ role: null, content: 'there.', tool_calls: null }, '', { usage: null }),
      chunk({ role: null, content: null, tool_calls: null }, 'stop', { usage: null }),
      lastChunk,
      '[DONE]',
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Ollama',
    how: 'an empty text as finish reason before a call’s arguments',
    source: 'https://github.com/adolfousier/opencrabs/pull/1499',
    stream: events(
      chunk(
        callDelta({
          index: 0,
          id: 'call_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '{"city":' },
        }),
        '',
      ),
      chunk(callDelta({ index: 0, function: { arguments: '"Oslo"}' } }), ''),
      chunk({ content: '' }, 'stop'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Ollama',
    how: 'parallel calls that all have index 0, each with an id of its own',
    source: 'https://github.com/BerriAI/litellm/pull/37792',
    stream: events(
      chunk({
        role: 'assistant',
        content: '',
        ...callDelta({ index: 0, id: 'call_a', type: 'function', function: called }),
      }),
      chunk(callDelta({ index: 0, id: 'call_b', type: 'function', function: rome })),
      chunk({ role: 'assistant', content: '' }, 'stop'),
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { index: 0, id: 'call_a', type: 'function', function: called },
            { index: 0, id: 'call_b', type: 'function', function: rome },
          ],
        },
        'stop',
      ),
    ),
    expected: { calls: both, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'LM Studio',
    how: 'an empty name in the pieces after the first',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/649',
    stream: events(
      chunk({
        role: 'assistant',
        ...callDelta({
          index: 0,
          id: '365174485',
          type: 'function',
          function: { name: 'get_weather', arguments: '' },
        }),
      }),
      chunk(
        callDelta({ index: 0, type: 'function', function: { name: '', arguments: '{"city"' } }),
      ),
      chunk(
        callDelta({ index: 0, type: 'function', function: { name: '', arguments: ':"Oslo"}' } }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'llama.cpp',
    how: 'arguments as an object in a whole answer, timings beside the usage',
    source: 'https://github.com/ggml-org/llama.cpp/issues/20198',
    stream: events(
      chunk({ role: 'assistant', content: null }),
      chunk(callDelta({ index: 0, id: 'x', type: 'function', function: called })),
      chunk({}, 'tool_calls'),
      { ...lastChunk, timings: { prompt_n: 11, predicted_n: 4 } },
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              type: 'function',
              function: { name: 'get_weather', arguments: { city: 'Oslo' } },
              id: '',
            },
          ],
        },
        'tool_calls',
        { timings: { prompt_n: 11, predicted_n: 4 } },
      ),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'KoboldCpp',
    how: 'the text null as finish reason',
    source: 'https://github.com/PowerShell/AIShell/issues/350',
    stream: events(
      chunk({ role: 'assistant', content: 'Hello ' }, 'null'),
      chunk({ content: 'there.' }, 'null'),
      chunk({}, 'stop'),
      '[DONE]',
    ),
    whole: json(whole(said, null)),
    expected: { content: hello, finish: 'stop' },
  },
  {
    vendor: 'Text Generation Inference',
    how: 'no [DONE], calls as one object, the count beside the end',
    source: 'https://github.com/huggingface/text-generation-inference/pull/2221',
    stream: events(
      chunk({
        role: 'assistant',
        tool_calls: { index: 0, id: '', type: 'function', function: called },
      }),
      chunk({ role: 'assistant', content: '' }, 'eos_token', { usage }),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'text-generation-webui',
    how: 'a message where others have a delta, no [DONE]',
    source: 'https://github.com/oobabooga/textgen/issues/4778',
    stream: events({
      id: 'chatcmpl-9',
      object: 'chat.completions.chunk',
      choices: [{ index: 0, finish_reason: 'stop', message: said }],
      usage,
    }),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'mlx-lm',
    how: 'only text, and no media type parameters but spaces',
    source: 'https://github.com/ml-explore/mlx-lm/pull/271',
    stream: {
      ...events(...saidChunks, lastChunk, '[DONE]'),
      type: 'text/event-stream ; charset=utf-8',
    },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
]

import {
  begun,
  callDelta,
  chunk,
  counted,
  events,
  hello,
  json,
  lastChunk,
  oneCall,
  oslo,
  type Shape,
  said,
  saidChunks,
  usage,
  weather,
  whole,
} from './shape.ts'

const filters = { hate: { filtered: false, severity: 'safe' } }

/** OpenAI, and its models at Azure, Bedrock and Cloudflare. */
export const openai: readonly Shape[] = [
  {
    vendor: 'OpenAI',
    how: 'the reference: text, then the count by itself',
    source: 'https://platform.openai.com/docs/api-reference/chat-streaming',
    stream: events(...saidChunks, lastChunk, '[DONE]'),
    whole: json(whole({ ...said, refusal: null, annotations: [] })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'OpenAI',
    how: 'arguments in pieces, name and id in the first alone',
    source: 'https://platform.openai.com/docs/guides/function-calling#streaming',
    stream: events(
      chunk({
        role: 'assistant',
        content: null,
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } }),
      }),
      chunk(callDelta({ index: 0, function: { arguments: '{"city":' } })),
      chunk(callDelta({ index: 0, function: { arguments: '"Oslo"}' } })),
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
            { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: oslo } },
          ],
        },
        'tool_calls',
      ),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'OpenAI',
    how: 'sends the name and the whole arguments once more, and ends a tool call with stop',
    source: 'https://github.com/open-webui/open-webui/issues/22177',
    stream: events(
      chunk({ role: 'assistant', content: null }),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: oslo } })),
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: oslo } })),
      chunk({}, 'stop'),
      lastChunk,
      '[DONE]',
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'OpenAI',
    how: 'two whole calls under one index',
    source: 'https://github.com/open-webui/open-webui/pull/22235',
    stream: events(
      chunk(callDelta({ ...begun, function: { name: 'get_weather', arguments: oslo } })),
      chunk(
        callDelta({ index: 0, function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }),
      ),
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    expected: {
      calls: [...weather, { name: 'get_weather', arguments: { city: 'Rome' } }],
      finish: 'tool_calls',
      usage: counted,
    },
  },
  {
    vendor: 'Azure OpenAI',
    how: 'a first chunk of filters alone, with empty id and model',
    source: 'https://github.com/AbanteAI/archive-old-cli-mentat/issues/429',
    stream: events(
      {
        id: '',
        object: '',
        created: 0,
        model: '',
        choices: [],
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
      },
      ...saidChunks,
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole(said, 'stop', {
        prompt_filter_results: [{ prompt_index: 0, content_filter_results: filters }],
      }),
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Azure OpenAI',
    how: 'a last chunk of filters without a delta',
    source: 'https://github.com/microsoft/autogen/issues/6465',
    stream: events(
      ...saidChunks,
      {
        id: '',
        object: '',
        created: 0,
        model: '',
        choices: [{ index: 0, finish_reason: null, content_filter_results: filters }],
      },
      lastChunk,
      '[DONE]',
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Azure AI Foundry',
    how: 'closes after content_filter, without [DONE]',
    source: 'https://github.com/experientiallabs/experiential/pull/962',
    stream: events(...saidChunks.slice(0, 3), chunk({}, 'content_filter', { usage })),
    expected: { content: hello, finish: 'content_filter', usage: counted },
  },
  {
    vendor: 'Bedrock access gateway',
    how: 'chunks without finish_reason, vendor’s word for the end',
    source: 'https://github.com/danny-avila/LibreChat/pull/5563',
    stream: events(
      { id: 'chatcmpl-9', choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
      { id: 'chatcmpl-9', choices: [{ index: 0, delta: { content: hello } }] },
      { id: 'chatcmpl-9', choices: [{ index: 0, delta: {}, finish_reason: 'end_turn' }] },
      { id: 'chatcmpl-9', choices: [], usage },
      '[DONE]',
    ),
    whole: json(whole(said, 'end_turn')),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Databricks',
    how: 'a list of reasoning and text as content',
    source: 'https://docs.databricks.com/aws/en/machine-learning/model-serving/query-reason-models',
    whole: json(
      whole({
        role: 'assistant',
        content: [
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.', signature: 's' }] },
          { type: 'text', text: hello },
        ],
      }),
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Cloudflare Workers AI',
    how: 'choices without index, finish reason and end',
    source: 'https://github.com/vercel/ai/pull/4031',
    stream: events(
      { id: 'id-1733737971956', choices: [{ delta: { content: 'Hello ' } }] },
      { id: 'id-1733737971956', choices: [{ delta: { content: 'there.' } }] },
      { id: 'id-1733737971956', choices: [], usage },
      '[DONE]',
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Azure OpenAI',
    how: 'filters beside a call, and none for the end',
    source: 'https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/function-calling',
    stream: events(
      { id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] },
      chunk({
        role: 'assistant',
        content: null,
        refusal: null,
        ...callDelta({ ...begun, function: { name: 'get_weather', arguments: '' } }),
      }),
      {
        choices: [
          {
            index: 0,
            content_filter_results: {},
            delta: callDelta({ index: 0, function: { arguments: oslo } }),
            finish_reason: null,
            logprobs: null,
          },
        ],
      },
      chunk({}, 'tool_calls'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({ refusal: null, annotations: [] }),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Bedrock access gateway',
    how: 'a call numbered from 1, as the vendor’s block, and the vendor’s word for the end',
    source: 'https://github.com/aws-samples/bedrock-access-gateway/blob/main/docs/Usage.md',
    stream: events(
      chunk({ role: 'assistant', content: '' }),
      chunk(
        callDelta({
          index: 1,
          id: 'tooluse_1',
          type: 'function',
          function: { name: 'get_weather', arguments: '' },
        }),
      ),
      chunk(callDelta({ index: 1, function: { arguments: '{"city":' } })),
      chunk(callDelta({ index: 1, function: { arguments: '"Oslo"}' } })),
      chunk({}, 'tool_use'),
      lastChunk,
      '[DONE]',
    ),
    whole: oneCall({}, 'tool_use', 'tooluse_1'),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
  {
    vendor: 'Cloudflare Workers AI',
    how: 'arguments as an object, without id and type',
    source: 'https://developers.cloudflare.com/workers-ai/features/function-calling',
    stream: events(
      {
        id: 'id-1',
        choices: [
          { delta: callDelta({ function: { name: 'get_weather', arguments: { city: 'Oslo' } } }) },
        ],
      },
      { id: 'id-1', choices: [], usage },
      '[DONE]',
    ),
    whole: json(
      whole(
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
        },
        null,
      ),
    ),
    expected: { calls: weather, finish: 'tool_calls', usage: counted },
  },
]

import {
  chunk,
  counted,
  events,
  hello,
  json,
  lastChunk,
  lines,
  type Shape,
  said,
  saidChunks,
  usage,
  whole,
} from './shape.ts'

const text = (data: object) => JSON.stringify(data)
const all = [...saidChunks, lastChunk].map(text)

/** Gateways and proxies between a client and other providers. */
export const routers: readonly Shape[] = [
  {
    vendor: 'OpenRouter',
    how: 'comments before the first chunk and between, usage with a cost and choices',
    source: 'https://openrouter.ai/docs/api-reference/streaming',
    stream: lines(
      [
        ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n',
        `data: ${text(chunk({ role: 'assistant', content: 'Hello ' }))}\n\n`,
        ': OPENROUTER PROCESSING\n\n',
        `data: ${text(chunk({ role: 'assistant', content: 'there.' }))}\n\n`,
        `data: ${text(chunk({ role: 'assistant', content: '' }, 'stop', { native_finish_reason: 'end_turn' }))}\n\n`,
        `data: ${text(chunk({ role: 'assistant', content: '' }, null, { usage: { ...usage, cost: 0.25 } }))}\n\n`,
        'data: [DONE]\n\n',
      ].join(''),
    ),
    whole: { type: 'application/json', body: `\n         \n\n${text(whole(said))}` },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'OpenRouter',
    how: 'reasoning as text and as details that must come back',
    source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens#preserving-reasoning-blocks',
    stream: events(
      chunk({
        role: 'assistant',
        content: '',
        reasoning: 'Hm.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', index: 0 }],
      }),
      chunk({ content: hello }),
      chunk({}, 'stop'),
      lastChunk,
      '[DONE]',
    ),
    whole: json(
      whole({
        ...said,
        reasoning: 'Hm.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'b64', id: 'rs_1', index: 0 }],
      }),
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'LiteLLM',
    how: 'a null for each field that is not there',
    source: 'https://github.com/BerriAI/litellm/issues/12481',
    stream: events(
      ...['Hello ', 'there.'].map((content) =>
        chunk({
          provider_specific_fields: null,
          content,
          role: null,
          function_call: null,
          tool_calls: null,
          audio: null,
        }),
      ),
      chunk({ content: null, role: null, tool_calls: null }, 'end_turn'),
      lastChunk,
      '[DONE]',
    ),
    whole: json(whole({ ...said, tool_calls: null, function_call: null, audio: null })),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'OmniRoute',
    how: 'named ping events with data',
    source: 'https://github.com/diegosouzapw/OmniRoute/pull/8762',
    stream: lines(
      `event: ping\ndata: {"type":"ping","code":null}\n\n${all.map((data) => `data: ${data}\n\nevent: ping\ndata: {"type":"ping"}\n\n`).join('')}data: [DONE]\n\n`,
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'DIAL',
    how: 'heartbeats without data, or with a word',
    source: 'https://github.com/epam/ai-dial-sdk/pull/175',
    stream: lines(
      `data:\n\nevent: heartbeat\ndata:\n\ndata: {}\n\n${all.map((data) => `data: ${data}\n\ndata: ping\n\n`).join('')}data: [DONE]\n\n`,
    ),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: '9router',
    how: 'a whole answer as an event stream, with [DONE] after the JSON',
    source: 'https://github.com/decolua/9router/issues/3492',
    stream: lines(`${text(whole(said))}data: [DONE]\n\n`),
    whole: lines(`${text(whole(said))}data: [DONE]\n\n`),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'KAITO',
    how: 'a stream where none was asked for',
    source: 'https://github.com/kaito-project/kaito/issues/1880',
    whole: events(...saidChunks, lastChunk, '[DONE]'),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Unsloth',
    how: 'a stream where none was asked for, as text',
    source: 'https://github.com/unslothai/unsloth/issues/6570',
    whole: { type: 'text/plain', body: events(...saidChunks, lastChunk, '[DONE]').body },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Bounty challenge',
    how: 'whole JSON to a request for a stream',
    source: 'https://github.com/BaseIntelligence/bounty-challenge/issues/17821',
    stream: json(whole(said)),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'Nous Portal',
    how: 'no [DONE] after finish and count',
    source: 'https://github.com/NousResearch/hermes-agent/issues/90848',
    stream: events(...saidChunks, { ...lastChunk, lastOne: true }),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'OpenCode Zen',
    how: 'no finish reason at all',
    source: 'https://github.com/anomalyco/opencode/issues/43882',
    stream: events(...saidChunks.slice(0, 3), lastChunk, '[DONE]'),
    whole: json(whole(said, null)),
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'nginx',
    how: 'packed unasked, and a media type in other case',
    source: 'https://nginx.org/en/docs/http/ngx_http_gzip_module.html#gzip_proxied',
    stream: {
      ...events(...saidChunks, lastChunk, '[DONE]'),
      type: 'Text/Event-Stream;Charset=UTF-8',
      packed: 'gzip',
    },
    whole: { ...json(whole(said)), type: 'Application/JSON', packed: 'br' },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'WHATWG HTML',
    how: 'a byte order mark, CRLF, no space after the colon, data in several lines, ids',
    source:
      'https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream',
    stream: lines(
      `\uFEFFretry: 10000\r\n\r\n${[...saidChunks, lastChunk]
        .map((each) => JSON.stringify(each, null, 1).replaceAll(/^/gm, 'data:'))
        .map((data) => `id: 7\r\n${data.replaceAll('\n', '\r\n')}\r\n\r\n`)
        .join('')}data:[DONE]\r\n\r\n`,
    ),
    whole: { type: 'application/json; charset=utf-8', body: `\uFEFF${text(whole(said))}` },
    expected: { content: hello, finish: 'stop', usage: counted },
  },
  {
    vendor: 'ik_llama.cpp',
    how: 'no media type, no [DONE], and the connection breaks after the end',
    source: 'https://github.com/ikawrakow/ik_llama.cpp/issues/467',
    stream: { body: `${saidChunks.map((each) => `data: ${text(each)}\n\n`).join('')}data: {"choi` },
    whole: { body: text(whole(said)) },
    expected: { content: hello, finish: 'stop' },
  },
]

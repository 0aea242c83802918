import type { ServerResponse } from 'node:http'
import { responseEventsOf, responseOf } from './played-responses.ts'
import { piecesOf, type PlayedEvent, type Turn } from './turn.ts'
import {
  type Behaviour,
  type CompletionCall,
  delta,
  sendJson,
  sendStream,
  usage,
} from './upstream.ts'

/** The name that the played provider gives to its model. */
export const playedName = 'claude-of-the-provider'

/** Answers in the form of the path: Chat Completions, Messages or Responses, whole or streamed. */
export function plays(turnOf: (asked: CompletionCall) => Turn): Behaviour {
  return (response, asked) => {
    if (asked.path.startsWith('/messages/count_tokens'))
      return sendJson(response, 200, { input_tokens: 12 })
    const turn = turnOf(asked)
    const streams = asked.body.stream === true
    if (asked.path.startsWith('/responses'))
      return streams
        ? sendEvents(response, responseEventsOf(turn, playedName))
        : sendJson(response, 200, responseOf(turn, playedName))
    if (!asked.path.startsWith('/messages'))
      return streams
        ? sendStream(response, chunksOf(turn))
        : sendJson(response, 200, completionOf(turn))
    return streams ? sendEvents(response, eventsOf(turn)) : sendJson(response, 200, messageOf(turn))
  }
}

/** Sends events with their names, as Anthropic and OpenAI's Responses do. */
export async function sendEvents(
  response: ServerResponse,
  events: readonly PlayedEvent[],
  { end = true } = {},
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    await new Promise(setImmediate)
  }
  if (end) response.end()
}

function toolCallsOf({ calls = [] }: Turn) {
  return calls.map(({ id, name, input }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
}

function completionOf(turn: Turn) {
  const calls = toolCallsOf(turn).map(({ index: _, ...call }) => call)
  const { text = null, thinking } = turn
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking && { reasoning_content: thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: playedName,
    choices: [{ index: 0, message, finish_reason }],
    usage: usage(20, turn.output_tokens ?? 10),
  }
}

function chunksOf(turn: Turn): (object | string)[] {
  const calls = toolCallsOf(turn)
  return [
    delta({ role: 'assistant', content: '' }),
    ...piecesOf(turn.thinking ?? '').map((piece) => delta({ reasoning_content: piece })),
    ...piecesOf(turn.text ?? '').map((piece) => delta({ content: piece })),
    ...calls.flatMap(({ index, id, type, function: { name, arguments: json } }) => [
      delta({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...piecesOf(json).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { choices: [], usage: usage(20, turn.output_tokens ?? 10) },
    '[DONE]',
  ]
}

/** The signature of the played model's thinking. */
export const signature = 'c2lnbmF0dXJl'

function blocksOf({ thinking, text, calls = [] }: Turn) {
  return [
    ...(thinking ? [{ type: 'thinking', thinking, signature }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...calls.map((call) => ({ type: 'tool_use', ...call })),
  ]
}

function messageOf(turn: Turn) {
  return {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: playedName,
    content: blocksOf(turn),
    stop_reason: turn.calls?.length ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: turn.output_tokens ?? 10 },
  }
}

function deltasOf(block: ReturnType<typeof blocksOf>[number]): object[] {
  if ('thinking' in block)
    return [
      ...piecesOf(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ]
  if ('text' in block) return piecesOf(block.text).map((text) => ({ type: 'text_delta', text }))
  return piecesOf(JSON.stringify(block.input)).map((partial_json) => ({
    type: 'input_json_delta',
    partial_json,
  }))
}

function startOf(block: ReturnType<typeof blocksOf>[number]): object {
  if ('thinking' in block) return { type: 'thinking', thinking: '', signature: '' }
  return 'text' in block ? { type: 'text', text: '' } : { ...block, input: {} }
}

/** The events of a streamed message. */
function eventsOf(turn: Turn): PlayedEvent[] {
  const { stop_reason, usage, ...message } = messageOf(turn)
  const blocks = blocksOf(turn)
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 1 },
      },
    },
    ...blocks.flatMap((block, index) => {
      const deltas = deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta }))
      const start = { type: 'content_block_start', index, content_block: startOf(block) }
      return [start, deltas, { type: 'content_block_stop', index }].flat()
    }),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ]
}

/** Sends the first events of a streamed answer, and leaves it open. */
export function sendsFirst(
  response: ServerResponse,
  { path }: CompletionCall,
  { turn, count }: { turn: Turn; count: number },
): Promise<void> {
  if (path.startsWith('/responses'))
    return sendEvents(response, responseEventsOf(turn, playedName).slice(0, count), { end: false })
  return path.startsWith('/messages')
    ? sendEvents(response, eventsOf(turn).slice(0, count), { end: false })
    : sendStream(response, chunksOf(turn).slice(0, count), { end: false })
}

/** Sends the first events of a streamed answer, then cuts the connection. */
export function cutsAfter(turn: Turn, count: number): Behaviour {
  return async (response, asked) => {
    await sendsFirst(response, asked, { turn, count })
    response.destroy()
  }
}

/** The answers of one family of model APIs. */
export interface Family {
  whole: object
  /** The events before the first piece of text. */
  begin: string
  /** Returns the event of a piece of text. */
  piece(text: string): string
  /** The events after the last piece, with the usage. */
  end: string
}

const model = 'openai/gpt-6-luna'
const content = 'The quick brown fox jumps over the lazy dog. '.repeat(12)
const created = 1_790_000_000
const [input_tokens, output_tokens] = [25, 120]
const total_tokens = input_tokens + output_tokens

const usageOfChat = {
  prompt_tokens: input_tokens,
  completion_tokens: output_tokens,
  total_tokens,
}
const baseOfChat = { id: 'chatcmpl-bench', created, model }

function chunk(delta: object, finish_reason: 'stop' | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason }]
  const data = { ...baseOfChat, object: 'chat.completion.chunk', choices, ...more }
  return `data: ${JSON.stringify(data)}\n\n`
}

export const chat: Family = {
  whole: {
    ...baseOfChat,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: usageOfChat,
  },
  begin: '',
  piece: (text) => chunk({ content: text }),
  end: `${chunk({}, 'stop', { usage: usageOfChat })}data: [DONE]\n\n`,
}

function named({ type, ...data }: { type: string; [name: string]: unknown }): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

const message = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
}

export const messages: Family = {
  whole: {
    ...message,
    content: [{ type: 'text', text: content }],
    stop_reason: 'end_turn',
    usage: { input_tokens, output_tokens },
  },
  begin: [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { input_tokens, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ]
    .map(named)
    .join(''),
  piece: (text) =>
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: [
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens },
    },
    { type: 'message_stop' },
  ]
    .map(named)
    .join(''),
}

const item_id = 'msg_bench'
const part = { type: 'output_text', text: content, annotations: [] }
const item = { id: item_id, type: 'message', role: 'assistant', status: 'completed' }
const response = { id: 'resp_bench', object: 'response', created_at: created, model }
const completed = {
  ...response,
  status: 'completed',
  output: [{ ...item, content: [part] }],
  usage: { input_tokens, output_tokens, total_tokens },
}
const place = { item_id, output_index: 0, content_index: 0 }

export const responses: Family = {
  whole: completed,
  begin: [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { ...response, status: 'in_progress', output: [] },
    },
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...item, status: 'in_progress', content: [] },
    },
    {
      type: 'response.content_part.added',
      sequence_number: 2,
      ...place,
      part: { ...part, text: '' },
    },
  ]
    .map(named)
    .join(''),
  piece: (delta) =>
    named({ type: 'response.output_text.delta', sequence_number: 3, ...place, delta }),
  end: [
    { type: 'response.output_text.done', sequence_number: 4, ...place, text: content },
    { type: 'response.content_part.done', sequence_number: 5, ...place, part },
    {
      type: 'response.output_item.done',
      sequence_number: 6,
      output_index: 0,
      item: { ...item, content: [part] },
    },
    { type: 'response.completed', sequence_number: 7, response: completed },
  ]
    .map(named)
    .join(''),
}

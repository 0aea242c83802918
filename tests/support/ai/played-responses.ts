import { piecesOf, type PlayedEvent, type Turn } from './turn.ts'

interface Item extends Record<string, unknown> {
  id: string
  type: string
}

/** The encrypted content of the played model's reasoning. */
const encrypted_content = 'gAAAAA'

function itemsOf({ thinking, text, calls = [] }: Turn): Item[] {
  const reasoning = { id: 'rs_1', type: 'reasoning', encrypted_content }
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return [
    ...(thinking ? [{ ...reasoning, summary: [{ type: 'summary_text', text: thinking }] }] : []),
    ...(text
      ? [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content }]
      : []),
    ...calls.map(({ id, name, input }) => {
      const call = { id: `fc_${id}`, status: 'completed', call_id: id, name }
      return 'input' in input
        ? { ...call, type: 'custom_tool_call', input: input.input }
        : { ...call, type: 'function_call', arguments: JSON.stringify(input) }
    }),
  ]
}

/** The answer of a played model in the form of OpenAI's Responses. A call with only `input` is a call of a custom tool. */
export function responseOf(turn: Turn, model: string) {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model,
    output: itemsOf(turn),
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 30,
    },
  }
}

/** The events of a streamed response. */
export function responseEventsOf(turn: Turn, model: string): PlayedEvent[] {
  const response = responseOf(turn, model)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const events: PlayedEvent[] = [
    { type: 'response.created', response: begun },
    ...response.output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: emptied(item) },
      ...deltasOf(item, turn.text ?? '').map((event) =>
        Object.assign(event, { item_id: item.id, output_index }),
      ),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ]
  return events.map((event, sequence_number) => Object.assign(event, { sequence_number }))
}

function emptied(item: Item): Item {
  const begun = { ...item, status: 'in_progress' }
  if (item.type === 'message') return { ...begun, content: [] }
  if (item.type === 'reasoning') return { ...begun, summary: [] }
  return item.type === 'function_call' ? { ...begun, arguments: '' } : { ...begun, input: '' }
}

function deltasOf(item: Item, text: string): PlayedEvent[] {
  if (item.type === 'function_call')
    return [{ type: 'response.function_call_arguments.delta', delta: item.arguments }]
  if (item.type === 'custom_tool_call')
    return [{ type: 'response.custom_tool_call_input.delta', delta: item.input }]
  if (item.type !== 'message') return []
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const content_index = 0
  return [
    { type: 'response.content_part.added', content_index, part },
    ...piecesOf(text).map((delta) => ({
      type: 'response.output_text.delta',
      content_index,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', content_index, text, logprobs: [] },
    { type: 'response.content_part.done', content_index, part: { ...part, text } },
  ]
}

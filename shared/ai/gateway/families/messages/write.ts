import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { type Chunk, type Completion, isObject } from '../../answers/form.ts'
import { OpaqueFields, sealOpaque } from '../../answers/opaque.ts'
import type { EventWriter, Served, StreamEvent } from '../../completions/call.ts'
import type { TokenUsage } from '../../usage.ts'

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

/** Anthropic's usage. Its `input_tokens` do not include tokens of the cache. */
export function writeMessagesUsage(usage: TokenUsage) {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  return {
    input_tokens: Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  }
}

/** Translates a chat completion to a message of Anthropic. */
export function writeMessage(completion: Completion, { model, usage }: Served) {
  const [choice] = completion.choices
  const message = choice?.message ?? {}
  const { content, reasoning_content, reasoning, refusal, tool_calls, ...more } = message
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  const opaque = new OpaqueFields()
  opaque.take(more)
  for (const call of calls) opaque.takeCall(call)
  const [field, thinking] = thinkingIn({ reasoning_content, reasoning })
  const texts = [content, refusal].filter((text) => typeof text === 'string' && text !== '')
  const rest = opaque.sealed()
  return {
    id: newId(idPrefixes.message),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(thinking === ''
        ? []
        : [{ type: 'thinking', thinking, signature: sealOpaque({ field }) }]),
      ...(rest === undefined ? [] : [{ type: 'redacted_thinking', data: rest }]),
      ...texts.map((text) => ({ type: 'text', text })),
      ...calls.map((call) => {
        const { name, json } = functionOf(call)
        return { type: 'tool_use', id: call.id, name, input: inputOf(json) }
      }),
    ],
    ...stopOf(choice?.finish_reason, choice?.['stop_reason']),
    usage: writeMessagesUsage(usage),
  }
}

function thinkingIn({ reasoning_content, reasoning }: Record<string, unknown>): [string, string] {
  if (typeof reasoning_content === 'string') return ['reasoning_content', reasoning_content]
  return ['reasoning', typeof reasoning === 'string' ? reasoning : '']
}

/** vLLM sends the text that stopped the model in `stop_reason`: https://docs.vllm.ai */
export function stopOf(finish: string | null | undefined, stopped: unknown) {
  if (finish === 'stop' && typeof stopped === 'string')
    return { stop_reason: 'stop_sequence', stop_sequence: stopped }
  return { stop_reason: stopReasons[finish ?? 'stop'] ?? 'end_turn', stop_sequence: null }
}

function functionOf({ function: called, custom }: Record<string, unknown>) {
  const { name, arguments: json, input } = Object(called ?? custom) as Record<string, unknown>
  const text = json ?? input
  return {
    name: typeof name === 'string' ? name : '',
    json: typeof text === 'string' ? text : '',
  }
}

/** A model can write arguments that are not JSON. The tool then sees them as they are. */
function inputOf(json: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(json)
    if (isObject(input)) return input
  } catch {
    // The text is not JSON.
  }
  return { arguments: json }
}

interface StreamedCall {
  id: string
  name: string
  json: string
  /** The number of characters of `json` that are sent. */
  sent: number
}

interface TranslatedOptions {
  model: string
  /** The estimated tokens of the prompt. */
  inputTokens: number
}

/** Translates the chunks of a chat completion to the events of a message. */
export function translatedWriter({ model, inputTokens }: TranslatedOptions): EventWriter {
  const opaque = new OpaqueFields()
  const calls: StreamedCall[] = []
  let started = false
  /** The index of the open block, or of the next one. */
  let index = 0
  let open: 'text' | 'thinking' | StreamedCall | undefined
  let thinkingField = ''
  let stop = stopOf('stop', undefined)

  function* start(): Generator<StreamEvent> {
    if (started) return
    started = true
    yield event('message_start', {
      message: {
        id: newId(idPrefixes.message),
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: writeMessagesUsage({ inputTokens, outputTokens: 0 }),
      },
    })
    yield event('ping', {})
  }

  function* close(): Generator<StreamEvent> {
    if (open === undefined) return
    if (open === 'thinking') {
      const signature = sealOpaque({ field: thinkingField })
      yield event('content_block_delta', { index, delta: { type: 'signature_delta', signature } })
    }
    yield event('content_block_stop', { index })
    open = undefined
    index++
  }

  function* text(kind: 'text' | 'thinking', piece: string): Generator<StreamEvent> {
    if (open !== kind) {
      yield* close()
      open = kind
      const block = kind === 'text' ? { text: '' } : { thinking: '', signature: '' }
      yield event('content_block_start', { index, content_block: { type: kind, ...block } })
    }
    const delta = { type: `${kind}_delta`, [kind]: piece }
    yield event('content_block_delta', { index, delta })
  }

  /** Sends a call from its first part on. A call waits while the previous one is not complete. */
  function* send(call: StreamedCall): Generator<StreamEvent> {
    if (open !== call) {
      if (typeof open === 'object' && !isJson(open.json)) return
      yield* close()
      open = call
      const { id, name } = call
      const block = { type: 'tool_use', id, name, input: {} }
      yield event('content_block_start', { index, content_block: block })
    }
    const partial_json = call.json.slice(call.sent)
    call.sent = call.json.length
    if (partial_json !== '')
      yield event('content_block_delta', {
        index,
        delta: { type: 'input_json_delta', partial_json },
      })
  }

  function* toolCall(part: Record<string, unknown>): Generator<StreamEvent> {
    const at = Number(part.index)
    const { name, json } = functionOf(part)
    const call = (calls[at] ??= { id: String(part.id), name: '', json: '', sent: 0 })
    call.name += name
    call.json += json
    opaque.takeCall({ ...part, id: call.id })
    yield* send(call)
  }

  function* rest(): Generator<StreamEvent> {
    for (const call of calls)
      if (call !== open && call.sent < call.json.length) {
        yield* close()
        yield* send(call)
      }
    yield* close()
    const data = opaque.sealed()
    if (data === undefined) return
    const block = { type: 'redacted_thinking', data }
    yield event('content_block_start', { index, content_block: block })
    yield event('content_block_stop', { index })
  }

  function* write(chunk: Chunk): Generator<StreamEvent> {
    const choice = chunk.choices.find((each) => each.index === 0)
    if (choice === undefined) return
    yield* start()
    const { content, reasoning_content, reasoning, refusal, tool_calls, ...more } = choice.delta
    opaque.take(more)
    const [field, thinking] = thinkingIn({ reasoning_content, reasoning })
    if (thinking !== '') {
      thinkingField = field
      yield* text('thinking', thinking)
    }
    for (const piece of [content, refusal])
      if (typeof piece === 'string' && piece !== '') yield* text('text', piece)
    for (const part of Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [])
      yield* toolCall(part)
    if (choice.finish_reason !== null) stop = stopOf(choice.finish_reason, choice['stop_reason'])
  }

  return {
    write: (chunk) => [...write(chunk)],
    end({ usage }) {
      return [
        ...start(),
        ...rest(),
        {
          ...event('message_delta', { delta: stop, usage: writeMessagesUsage(usage) }),
          ends: true,
        },
        { ...event('message_stop', {}), ends: true },
      ]
    },
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

export function event(type: string, data: Record<string, unknown>): StreamEvent {
  return { event: type, data: { type, ...data }, ends: false }
}

import { attribute } from './conventions.ts'
import type { Value } from './span.ts'

/**
 * A message in OpenAI's form, with the fields that spans contain. For a part of an unknown kind, spans contain only the
 * kind.
 */
export interface ChatMessage {
  role: string
  content?: string | readonly Record<string, unknown>[] | null | undefined
  name?: string | null | undefined
  tool_calls?: readonly Record<string, unknown>[] | null | undefined
  tool_call_id?: string | null | undefined
}

/**
 * A message in the conventions' form: https://github.com/open-telemetry/semantic-conventions,
 * gen-ai-input-messages.json.
 */
interface Message {
  role: string
  parts: readonly Part[]
  name?: string
  finish_reason?: string
}

type Part = { type: string } & Record<string, unknown>

/** The longest message in a span, in bytes of JSON; encoded as a JSON text it is at most twice as long. */
export const longestMessage = 50_000

/**
 * Returns a model's input as attributes of a span. If the messages do not fit, the oldest whole messages are omitted.
 */
export function inputMessages(messages: readonly ChatMessage[]): Record<string, Value> {
  const { text, leftOut } = bounded(messages.map(toMessage))
  return {
    [attribute.inputMessages]: text,
    ...(leftOut > 0 && { [attribute.inputMessagesLeftOut]: leftOut }),
  }
}

/** Returns a model's output as attributes; it is omitted if it does not fit. */
export function outputMessage(
  message: ChatMessage,
  finishReason: string | null,
): Record<string, Value> {
  const output = { ...toMessage(message), finish_reason: reasonOf(finishReason) }
  const { text, leftOut } = bounded([output])
  return {
    [attribute.outputMessages]: text,
    ...(leftOut > 0 && { [attribute.outputMessagesLeftOut]: leftOut }),
  }
}

/** Maps a provider's finish reason to the conventions; null means that the response was interrupted. */
function reasonOf(reason: string | null): string {
  if (reason === null) return 'error'
  return reason === 'tool_calls' ? 'tool_call' : reason
}

function bounded(messages: readonly Message[]): { text: string; leftOut: number } {
  const included: string[] = []
  let room = longestMessage
  for (const message of messages.toReversed()) {
    const text = JSON.stringify(message)
    const size = Buffer.byteLength(text) + 1
    if (size > room) continue
    included.unshift(text)
    room -= size
  }
  return { text: `[${included.join()}]`, leftOut: messages.length - included.length }
}

function toMessage(message: ChatMessage): Message {
  const { role, content, name, tool_calls, tool_call_id: id } = message
  const calls = tool_calls ?? []
  const parts =
    typeof content === 'string' ? [{ type: 'text', content }] : (content ?? []).map(toPart)
  const response = {
    type: 'tool_call_response',
    ...(id !== undefined && { id }),
    response: content,
  }
  return {
    role,
    parts: role === 'tool' ? [response] : [...parts, ...calls.map(toCall)],
    ...(typeof name === 'string' && { name }),
  }
}

function toPart({ type, text, refusal, image_url: image }: Record<string, unknown>): Part {
  if (typeof text === 'string') return { type: 'text', content: text }
  if (typeof refusal === 'string') return { type: 'text', content: refusal }
  const { url } = Object(image) as { url?: unknown }
  if (typeof url === 'string') return { modality: 'image', ...imageOf(url) }
  return { type: String(type) }
}

function imageOf(url: string): Part {
  const [, type, content] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  if (content === undefined) return { type: 'uri', uri: url }
  return { type: 'blob', mime_type: type, content }
}

function toCall({ id, function: called }: Record<string, unknown>): Part {
  const { name, arguments: args } = Object(called) as Record<string, unknown>
  return { type: 'tool_call', id, name, arguments: argumentsOf(args) }
}

/** Models usually write arguments as JSON. */
function argumentsOf(args: unknown): unknown {
  if (typeof args !== 'string') return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

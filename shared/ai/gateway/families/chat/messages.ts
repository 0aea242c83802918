import { readCalls } from '../../answers/calls.ts'
import { isObject } from '../../answers/form.ts'

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Mistral's clients send an image as a URL, other clients as an object with the URL. @returns the same body */
export function withImageObjects<T extends Readonly<Record<string, unknown>>>(body: T): T {
  if (!Array.isArray(body.messages)) return body
  for (const message of body.messages as unknown[]) {
    if (!isObject(message) || !Array.isArray(message.content)) continue
    for (const part of message.content as unknown[])
      if (isObject(part) && typeof part.image_url === 'string')
        part.image_url = { url: part.image_url }
  }
  return body
}

interface ChatMessage extends Record<string, unknown> {
  role: string
  content?: unknown
}

/** Fields of messages that do not come from a model. */
const askedFields: ReadonlySet<string> = new Set([
  'role',
  'content',
  'name',
  'tool_call_id',
  'cache_control',
])

/** A message without fields that are null. The arguments of its tool calls are JSON objects. */
export function plainMessage<T extends ChatMessage>(message: T): T {
  const isAssistant = message.role === 'assistant'
  const plain: ChatMessage = { role: message.role }
  for (const name in message) {
    const value = message[name]
    if (name === 'tool_calls') {
      if (isAssistant && Array.isArray(value) && value.length > 0)
        plain.tool_calls = readCalls(value)?.map(withObject)
    } else if (name === 'function_call' && isAssistant && isObject(value))
      plain[name] = objectArguments(value)
    else if (name === 'content') plain.content = isEmptyList(value) ? null : message.content
    else if (value !== null && (isAssistant || askedFields.has(name))) plain[name] = value
  }
  return plain as T
}

function withObject(call: Record<string, unknown>): Record<string, unknown> {
  return isObject(call.function) ? { ...call, function: objectArguments(call.function) } : call
}

/**
 * Returns a called function whose arguments are a JSON object. Models write other arguments too, for example if an
 * answer was cut. Anthropic, Gemini, vLLM and Ollama parse the arguments of a history and refuse it for them.
 */
function objectArguments(called: Record<string, unknown>): Record<string, unknown> {
  const { arguments: given } = called
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {})
  const value = jsonIn(text)
  if (isObject(value)) return given === text ? called : { ...called, arguments: text }
  // Some models encode the arguments twice.
  const isTwice = typeof value === 'string' && isObject(jsonIn(value))
  return { ...called, arguments: isTwice ? value : '{}' }
}

/** @returns undefined for text that is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

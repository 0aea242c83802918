import { jsonIn } from '../http/json.ts'
import { CallsBuilder, sentCall, type ToolCall, wholeCalls } from './calls.ts'
import type { Message } from './messages.ts'
import { type Fields, isFields, mergeFields } from './opaque.ts'

/** Media from the model. Only the caller gets them: in the history they would fill the prompt. */
const notKept = new Set(['audio', 'images'])

/** Assembles an assistant's message from the chunks of a stream. */
export class AnswerBuilder {
  #content = ''
  #opaque: Fields = {}
  readonly #calls = new CallsBuilder()
  /** True if the last chunk contained a part of a tool call. */
  addedCall = false
  /** True if the answer ended at its limit of tokens. */
  cut = false

  /** True after the first part of a tool call. */
  get calling(): boolean {
    return this.#calls.any
  }

  /** Adds a chunk and returns its text. Ignores data that is not a completion chunk. */
  add(data: string): string {
    const choice = choiceIn(data)
    const { delta, message } = choice
    this.cut ||= isCut(choice)
    // Some providers end a stream with a message that repeats the chunks.
    const isFirst = this.#content === '' && !this.calling
    const fields = isFields(delta) ? delta : isFirst && isFields(message) ? message : {}
    const { role: _role, content, tool_calls: calls, function_call: called, ...opaque } = fields
    const text = textOf(content)
    this.#content += text
    this.#opaque = mergeFields(this.#opaque, opaqueFields(opaque))
    this.addedCall = this.#calls.add(calls ?? asCalls(called))
    return text
  }

  /**
   * Returns the message so far; undefined if it is empty.
   * @param whole false if the stream broke: tool calls and the provider's own fields may be incomplete and are left out
   */
  message(whole: boolean): Message | undefined {
    const calls = whole ? this.#calls.all : []
    return messageOf(this.#content, calls, whole ? this.#opaque : {})
  }
}

function isCut({ finish_reason: reason }: Fields): boolean {
  return reason === 'length'
}

/** Returns true if a response that is not streamed ended at its limit of tokens. */
export function wasCut(text: string): boolean {
  return isCut(choiceIn(text))
}

/** Returns the assistant's message of a response that is not streamed. The role is always `assistant`. */
export function wholeAnswer(text: string): Message | undefined {
  const { message } = choiceIn(text)
  if (!isFields(message)) return undefined
  const { role: _role, content, tool_calls: calls, function_call: called, ...opaque } = message
  return messageOf(textOf(content), wholeCalls(calls ?? asCalls(called)), opaqueFields(opaque))
}

function messageOf(text: string, calls: readonly ToolCall[], opaque: Fields): Message | undefined {
  if (text === '' && calls.length === 0) return undefined
  const content = text === '' ? null : text
  const toolCalls = calls.map(sentCall)
  return {
    ...opaque,
    role: 'assistant',
    content,
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
  }
}

/** Returns the text of a content, which can be a list of parts. Thinking is left out. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts: unknown[] = Array.isArray(content) ? content : [content]
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part
    if (!isFields(part) || !/^(output_)?text$/.test(String(part['type'] ?? 'text'))) return ''
    return typeof part['text'] === 'string' ? part['text'] : ''
  })
  return texts.join('')
}

function opaqueFields(opaque: Fields): Fields {
  const entries = Object.entries(opaque)
  return Object.fromEntries(entries.filter(([name, value]) => value !== null && !notKept.has(name)))
}

/** Returns the call in OpenAI's old form (`function_call`), which has no id. */
export function asCalls(called: unknown): unknown {
  return isFields(called) ? [{ function: called }] : undefined
}

/** Returns the first choice of a chunk or a completion. Agents never request more than one. */
function choiceIn(text: string): Fields {
  const value = jsonIn(text)
  const choices = isFields(value) && Array.isArray(value['choices']) ? value['choices'] : []
  return choices.filter(isFields).find(({ index }) => (index ?? 0) === 0) ?? {}
}

import { jsonIn } from '../http/json.ts'
import { type Fields, isFields, isText, mergeFields } from './opaque.ts'

/** A tool call in OpenAI's format, with the provider's own fields, which later requests must contain too. */
export interface ToolCall extends Fields {
  id?: string
  type: string
  function: Fields & { name: string; arguments: string }
}

/** The maximum number of calls in a message: the limit of tools in a request. */
const maxToolCalls = 256

/**
 * Assembles tool calls from the chunks of a stream. Providers differ: some send no index, or 0 for every call; no id, or a
 * number; the whole name again in each chunk; arguments as an object.
 */
export class CallsBuilder {
  readonly #calls: { index: number | undefined; call: ToolCall }[] = []

  /** True after the first part of a call. */
  get any(): boolean {
    return this.#calls.length > 0
  }

  /** The calls so far, in order. */
  get all(): ToolCall[] {
    const ordered = this.#calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
    return ordered.map(({ call }) => call)
  }

  /** Adds a chunk's `tool_calls`. @returns whether it contained a call */
  add(value: unknown): boolean {
    const parts = Array.isArray(value) ? value.filter(isFields) : []
    let added = false
    for (const part of parts) {
      const index = indexOf(part['index'])
      if (Number.isNaN(index)) continue
      const found = this.#find(index, part)
      if (found !== undefined) found.call = withPart(found.call, part)
      else if (this.#calls.length < maxToolCalls)
        this.#calls.push({ index, call: withPart(nothing, part) })
      added = true
    }
    return added
  }

  /** Returns the call that a part continues; undefined if the part begins a new one. */
  #find(index: number | undefined, part: Fields) {
    const id = idOf(part)
    const isNamed = isText(functionOf(part)['name'])
    const known = this.#calls.findLast((each) =>
      index === undefined ? id === undefined || each.call.id === id : each.index === index,
    )
    const last = known ?? (index === undefined && !isNamed ? this.#calls.at(-1) : undefined)
    return last !== undefined && isNamed && beginsAnother(last.call, part) ? undefined : last
  }
}

/** Returns the calls of a whole message. Skips values that are not objects. */
export function wholeCalls(value: unknown): ToolCall[] {
  const calls = Array.isArray(value) ? value.filter(isFields) : []
  return calls.slice(0, maxToolCalls).map((call) => withPart(nothing, call))
}

/** True for the call of a function. Other kinds, such as custom tools, have their own field. */
export function isFunctionCall({ type, function: { name } }: ToolCall): boolean {
  return type === 'function' || name !== ''
}

/** Returns a call in the format of its kind. */
export function sentCall(call: ToolCall): Fields {
  const { function: _, ...other } = call
  return isFunctionCall(call) ? call : other
}

/** Returns a call for the history, with an object as arguments. Some providers refuse anything else. */
export function validCall(call: ToolCall, { id }: { id: string }): ToolCall {
  if (!isFunctionCall(call)) return { ...call, id }
  return { ...call, id, function: { ...call.function, arguments: argumentsOf(call) ?? '{}' } }
}

/** Returns the arguments of a call as a JSON object in text, `{}` without arguments, or undefined if they are invalid. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): string | undefined {
  if (text.trim() === '') return '{}'
  const value = jsonIn(text)
  if (value === null) return '{}'
  if (isFields(value)) return text
  // Some models encode the arguments twice.
  return typeof value === 'string' && isFields(jsonIn(value)) ? value : undefined
}

const nothing: ToolCall = { type: 'function', function: { name: '', arguments: '' } }

/** True if a part starts a new call. The index does not show it: some providers give every call the index 0. */
function beginsAnother(call: ToolCall, part: Fields): boolean {
  const known = call.function
  const isComplete = isFields(jsonIn(known.arguments))
  const id = idOf(part)
  if (id !== undefined && call.id !== undefined && id !== call.id)
    return isComplete || known.arguments === ''
  const { name, arguments: value } = functionOf(part)
  const text = asText(value)
  return isComplete && text !== '' && (name !== known.name || text !== known.arguments)
}

function withPart(call: ToolCall, part: Fields): ToolCall {
  const { index: _index, id: _id, type, function: _function, ...opaque } = part
  const { name, arguments: value, ...more } = functionOf(part)
  const { function: known } = call
  const id = call.id ?? idOf(part)
  const text = asText(value)
  const isRepeated = text === known.arguments && isFields(jsonIn(text))
  return {
    ...mergeFields(call, opaque),
    ...(id !== undefined && { id }),
    type: isText(type) ? type : call.type,
    function: {
      ...mergeFields(known, more),
      name: isText(name) ? nameWith(known.name, name) : known.name,
      arguments: isRepeated ? text : known.arguments + text,
    },
  }
}

/** Replaces a name if the new one starts with it. Otherwise appends the new one. */
function nameWith(known: string, value: string): string {
  return value.startsWith(known) ? value : known + value
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return isFields(value) ? JSON.stringify(value) : ''
}

/** Returns NaN for an invalid index. */
function indexOf(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined
  const index = isText(value) ? Number(value) : value
  return Number.isInteger(index) && Number(index) >= 0 && Number(index) < maxToolCalls
    ? Number(index)
    : Number.NaN
}

function idOf({ id }: Fields): string | undefined {
  if (typeof id === 'number') return String(id)
  return isText(id) ? id : undefined
}

function functionOf(part: Fields): Fields {
  return isFields(part['function']) ? part['function'] : {}
}

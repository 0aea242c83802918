import { idPrefixes } from '#shared/manifest/ids.ts'
import { newId } from '#shared/platform/ids.ts'
import { UpstreamFailure } from '../providers/failure.ts'
import type { CallsEnd } from './finish.ts'
import { indexOf, isObject } from './form.ts'

/** The maximum number of tool calls of one choice. Models make a few in one answer; every one costs memory and time. */
const maxCalls = 1024

interface Call {
  /** The index of the call in the answer, from 0. */
  index: number
  /** The provider's own index, if it sends one. */
  providerIndex: number | undefined
  /** The provider's own id; empty if it sends none. */
  id: string
  name: string
  arguments: string
  isFunction: boolean
  /** Detects the end of the arguments while they arrive. */
  end: JsonEnd
}

interface Part {
  providerIndex: number | undefined
  id: string
  name: string
  /** In a delta, a piece of the arguments. */
  arguments: string
}

/** The tool calls of one streamed choice, joined from parts in any provider's format. */
export class StreamedCalls {
  readonly #calls: Call[] = []
  /** The last call with an id, or with a provider's index. */
  readonly #byId = new Map<string, Call>()
  readonly #byProviderIndex = new Map<number, Call>()

  get any(): boolean {
    return this.#calls.length > 0
  }

  /** True if the last call ends inside its arguments. */
  get cut(): boolean {
    const last = this.#calls.at(-1)
    return last?.isFunction === true && last.end.isInside
  }

  /**
   * @returns the parts in OpenAI's form; undefined without any
   * @throws UpstreamFailure if the choice has more than `maxCalls`
   */
  read(toolCalls: unknown): Record<string, unknown>[] | undefined {
    const parts = listOf(toolCalls)
      .map((part) => this.#read(part))
      .filter((part) => part !== undefined)
    return parts.length === 0 ? undefined : parts
  }

  /** Returns the missing parts at the end of an answer: `{}` for each function call without arguments. */
  rest(): Record<string, unknown>[] {
    return this.#calls
      .filter((call) => call.isFunction && call.arguments.trim() === '')
      .map((call) => {
        call.arguments = '{}'
        return { index: call.index, function: { arguments: '{}' } }
      })
  }

  #read(raw: Record<string, unknown>): Record<string, unknown> | undefined {
    const part = partOf(raw)
    const call = this.#continued(part)
    if (call === undefined) return this.#begin(raw, part)
    if (!call.isFunction) return raw.index === call.index ? raw : { ...raw, index: call.index }
    const isRepeated =
      part.arguments === call.arguments &&
      (part.name === '' || part.name === call.name) &&
      call.end.reached
    if (isRepeated) return undefined
    const { index } = call
    const name = part.name === call.name ? '' : part.name
    if (call.id === '' && part.id !== '') {
      call.id = part.id
      this.#byId.set(call.id, call)
    }
    call.name += name
    call.arguments += part.arguments
    call.end.add(part.arguments)
    const called = raw.function
    const isSame =
      raw.index === index &&
      (part.name === name || part.name === '') &&
      (!isObject(called) || called.arguments === undefined || called.arguments === part.arguments)
    if (isSame) return raw
    const { name: _, ...rest } = isObject(called) ? called : {}
    return {
      ...raw,
      index,
      function: { ...rest, ...(name !== '' && { name }), arguments: part.arguments },
    }
  }

  #begin(raw: Record<string, unknown>, part: Part): Record<string, unknown> {
    const index = this.#calls.length
    if (index >= maxCalls) throw tooMany()
    const call = { ...part, index, isFunction: isFunctionCall(raw), end: new JsonEnd() }
    call.end.add(part.arguments)
    this.#calls.push(call)
    if (call.id !== '') this.#byId.set(call.id, call)
    if (call.providerIndex !== undefined) this.#byProviderIndex.set(call.providerIndex, call)
    const normal = normalCall(raw, part)
    return normal === raw && raw.index === index ? raw : { ...normal, index }
  }

  /**
   * Returns the call that a part continues, or undefined if it starts a new call. Some providers send no index or the
   * same index for all calls, so a name after complete arguments also starts a new call.
   */
  #continued(part: Part): Call | undefined {
    const call = this.#named(part)
    if (call === undefined || part.name === '') return call
    const isOther = part.id !== '' && call.id !== '' && part.id !== call.id
    if (isOther) return call.arguments !== '' && !call.end.reached ? call : undefined
    const isUnnumbered = part.providerIndex === undefined && part.id === ''
    if (call.arguments === '' && isUnnumbered && part.name !== call.name) return undefined
    const isAnother = part.arguments !== '' && call.end.reached
    return isAnother && part.arguments !== call.arguments ? undefined : call
  }

  /** Finds the call of a part by its id, or by the provider's index. A part without both belongs to the last call. */
  #named({ providerIndex, id }: Part): Call | undefined {
    const byId = id === '' ? undefined : this.#byId.get(id)
    if (byId !== undefined) return byId
    if (providerIndex !== undefined) return this.#byProviderIndex.get(providerIndex)
    return id === '' ? this.#calls.at(-1) : undefined
  }
}

/** Returns how the tool calls of a whole message end. */
export function endOf(calls: readonly Record<string, unknown>[] = []): CallsEnd {
  const last = calls.at(-1)
  const end = new JsonEnd()
  if (last !== undefined && isFunctionCall(last)) end.add(partOf(last).arguments)
  return { any: calls.length > 0, cut: end.isInside }
}

/**
 * Returns the tool calls of a whole message in OpenAI's form, or undefined without any. Empty arguments become `{}`,
 * unless the message was cut.
 * @throws UpstreamFailure if there are more than `maxCalls`
 */
export function readCalls(
  toolCalls: unknown,
  isCut = false,
): Record<string, unknown>[] | undefined {
  const list = listOf(toolCalls)
  if (list.length > maxCalls) throw tooMany()
  const calls = list.map((raw) => {
    const part = partOf(raw)
    const isEmpty = !isCut && isFunctionCall(raw) && part.arguments.trim() === ''
    return normalCall(raw, isEmpty ? { ...part, arguments: '{}' } : part)
  })
  return calls.length === 0 ? undefined : calls
}

/** Returns a call with an id, a type and arguments as text. @returns the same object if nothing changes */
function normalCall(raw: Record<string, unknown>, part: Part): Record<string, unknown> {
  const hasId = typeof raw.id === 'string' && idOf(raw.id) !== ''
  if (!isFunctionCall(raw)) return hasId ? raw : { ...raw, id: part.id || newId(idPrefixes.call) }
  const called = isObject(raw.function) ? raw.function : {}
  const isSame =
    hasId &&
    raw.type === 'function' &&
    called.name === part.name &&
    called.arguments === part.arguments
  if (isSame) return raw
  return {
    ...raw,
    id: part.id || newId(idPrefixes.call),
    type: 'function',
    function: { ...called, name: part.name, arguments: part.arguments },
  }
}

function isFunctionCall({ type, custom }: Record<string, unknown>): boolean {
  return type !== 'custom' && !isObject(custom)
}

function partOf({ index, id, function: called, name, arguments: outer }: Record<string, unknown>) {
  const inner = isObject(called) ? called : { name, arguments: outer }
  return {
    providerIndex: indexOf(index),
    id: idOf(id),
    name: typeof inner.name === 'string' ? inner.name : '',
    arguments: argumentsText(inner.arguments),
  }
}

/** Mistral sends the text `null` for an absent id: https://github.com/langchain-ai/langchain/issues/38676 */
function idOf(id: unknown): string {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== 'null' ? id : ''
}

/** Returns arguments as JSON text, as OpenAI does. Some providers send an object. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function tooMany(): UpstreamFailure {
  return new UpstreamFailure(`the answer has more than ${maxCalls} tool calls in a choice`)
}

/**
 * Finds the end of a JSON object or array that arrives in pieces. It reads each character once, and only on demand:
 * parsing the whole text again for each piece would take quadratic time.
 */
class JsonEnd {
  #unread: string[] = []
  #depth = 0
  #inText = false
  #escaped = false
  #state: 'before' | 'inside' | 'reached' | 'other' = 'before'

  add(piece: string): void {
    if (piece !== '') this.#unread.push(piece)
  }

  /** True if the pieces so far are one complete object or array. */
  get reached(): boolean {
    return this.#stateNow() === 'reached'
  }

  /** True if the pieces so far are the start of an object or array. */
  get isInside(): boolean {
    return this.#stateNow() === 'inside'
  }

  #stateNow() {
    for (const piece of this.#unread)
      for (const character of piece) if (this.#state !== 'other') this.#read(character)
    this.#unread = []
    return this.#state
  }

  #read(character: string): void {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false
      else if (character === '\\') this.#escaped = true
      else if (character === '"') this.#inText = false
    } else if (character === '{' || character === '[') {
      this.#depth++
      if (this.#state !== 'inside') this.#state = this.#state === 'before' ? 'inside' : 'other'
    } else if (character === '}' || character === ']') {
      this.#depth--
      if (this.#depth <= 0) this.#state = this.#state === 'inside' ? 'reached' : 'other'
    } else if (this.#state === 'inside') this.#inText = character === '"'
    else if (character.trim() !== '') this.#state = 'other'
  }
}

function listOf(value: unknown): Record<string, unknown>[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list.filter(isObject)
}

import { isShallow, parseUpTo } from '#shared/platform/json.ts'
import { isObject } from './form.ts'
import { joinInto } from './read-completion.ts'

/**
 * Fields of a translated answer that its provider requires in later requests but that the caller's form does not have,
 * such as signatures of other vendors. Clients return them unchanged: Messages has them in the signature of a thinking
 * block or in a redacted thinking block, Responses in the encrypted content of a reasoning item.
 */
export interface Opaque {
  /** The message's field with the text of the thinking. */
  field?: string
  /** Further fields of the message. */
  message?: Record<string, unknown>
  /** Further fields of tool calls, by id. */
  calls?: Record<string, Record<string, unknown>>
}

const prefix = 'chat.'

/** A caller can write a value of its own. Serializing a deeply nested one would overflow the stack. */
const deepest = 64

/** The maximum number of values. The fields stay in memory until the answer ends. */
const maxValues = 100_000

/** Encodes a provider's own fields as one string for the caller, who sends it back unchanged. */
export function sealOpaque(opaque: Opaque): string {
  return prefix + Buffer.from(JSON.stringify(opaque)).toString('base64url')
}

/** @returns undefined for a value that `sealOpaque` did not write, such as a vendor's own signature */
export function openOpaque(sealed: string): Opaque | undefined {
  if (!sealed.startsWith(prefix)) return undefined
  try {
    const json = Buffer.from(sealed.slice(prefix.length), 'base64url').toString()
    const opaque = parseUpTo(json, maxValues)
    return isObject(opaque) && isShallow(opaque, deepest) ? opaque : undefined
  } catch {
    // A client that cuts long texts has cut this one.
    return undefined
  }
}

/** Fields of a call that have a place in every family. */
const callFields = new Set(['custom', 'function', 'id', 'index', 'type'])

/** Fields of a message that have a place in every family, or that no provider wants back. */
const messageFields = new Set(['annotations', 'audio', 'function_call', 'name', 'role'])

/** Collects the fields that the provider wants back. */
export class OpaqueFields {
  readonly #message: Record<string, unknown> = {}
  readonly #calls: Record<string, Record<string, unknown>> = {}

  take(fields: Record<string, unknown>): void {
    joinInto(this.#message, without(fields, messageFields))
  }

  takeCall(call: Record<string, unknown>): void {
    const rest = without(call, callFields)
    if (typeof call.id === 'string' && Object.keys(rest).length > 0) this.#calls[call.id] = rest
  }

  /** @returns undefined without any field */
  sealed(): string | undefined {
    const opaque: Opaque = {
      ...(Object.keys(this.#message).length > 0 && { message: this.#message }),
      ...(Object.keys(this.#calls).length > 0 && { calls: this.#calls }),
    }
    return Object.keys(opaque).length === 0 ? undefined : sealOpaque(opaque)
  }
}

function without(fields: Record<string, unknown>, known: ReadonlySet<string>) {
  const rest = Object.entries(fields).filter(
    ([name, value]) => !known.has(name) && value !== null && value !== undefined,
  )
  return Object.fromEntries(rest)
}

import { isObject } from '../../answers/form.ts'

/**
 * The fields of a translated answer that its provider wants back and Anthropic's form has no place for, such as
 * signatures of other vendors. They are stored in the signature of a thinking block, or in a redacted thinking block:
 * clients return both unchanged.
 */
export interface Opaque {
  /** The field of the message that has the text of the thinking. */
  field?: string
  /** Further fields of the message. */
  message?: Record<string, unknown>
  /** Further fields of tool calls, by id. */
  calls?: Record<string, Record<string, unknown>>
}

const prefix = 'chat.'

export function sealOpaque(opaque: Opaque): string {
  return prefix + Buffer.from(JSON.stringify(opaque)).toString('base64url')
}

/** @returns undefined for a value that `sealOpaque` did not write, such as Anthropic's own signature */
export function openOpaque(sealed: string): Opaque | undefined {
  if (!sealed.startsWith(prefix)) return undefined
  try {
    const opaque: unknown = JSON.parse(
      Buffer.from(sealed.slice(prefix.length), 'base64url').toString(),
    )
    return isObject(opaque) ? opaque : undefined
  } catch {
    // A client that cuts long texts has cut this one.
    return undefined
  }
}

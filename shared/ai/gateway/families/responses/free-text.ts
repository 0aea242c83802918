import { isObject } from '../../answers/form.ts'

/** The start of the arguments of a function that a custom tool became. */
const start = /^\s*\{\s*"input"\s*:\s*"/

/** A character of a JSON text, or an escape. */
const character = /[^"\\]|\\(?:u[\dA-Fa-f]{4}|[^u])/y

/** Reads the free text of a custom tool from the JSON arguments of its function, while they arrive. */
export class FreeText {
  readonly #pieces: string[] = []
  /** The JSON that is not read yet. */
  #rest = ''
  #started = false
  #text = ''

  /** Adds a piece of the arguments. @returns the text in it that is complete */
  add(piece: string): string {
    this.#pieces.push(piece)
    this.#rest += piece
    if (!this.#started) {
      const [before] = start.exec(this.#rest) ?? []
      if (before === undefined) return ''
      this.#started = true
      this.#rest = this.#rest.slice(before.length)
    }
    let end = 0
    for (;;) {
      character.lastIndex = end
      const [found] = character.exec(this.#rest) ?? []
      if (found === undefined) break
      // Half of a surrogate pair cannot be sent as text.
      if (/^\\u[dD][89ABab]/.test(found) && this.#rest.length < end + 12) break
      end += found.length
    }
    const text = decoded(this.#rest.slice(0, end))
    this.#rest = this.#rest.slice(end)
    this.#text += text
    return text
  }

  /** Returns the whole text at the end of the arguments. Models also write the text itself, without JSON. */
  whole(): string {
    const json = this.#pieces.join('')
    const value = jsonIn(json)
    if (isObject(value)) {
      const texts = Object.values(value)
      const input = value.input ?? (texts.length === 1 ? texts[0] : undefined)
      if (typeof input === 'string') return input
    }
    // The JSON is cut, or its strings contain line feeds.
    return this.#started ? this.#text : json
  }
}

function decoded(part: string): string {
  // Models write line feeds and tabs unescaped, which JSON does not allow.
  const escaped = part.replace(/\p{Cc}/gu, (each) => JSON.stringify(each).slice(1, -1))
  return (jsonIn(`"${escaped}"`) as string | undefined) ?? part
}

/** @returns undefined for text that is not JSON */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns whether a JSON value is nested at most `depth` deep. Deeper values are not visited. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1))
}

/** Returns the number of values in a JSON value, at least up to `most`. It must not be nested deep. */
export function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const inner of Object.values(value)) {
    count += countValues(inner, most - count)
    if (count > most) break
  }
  return count
}

/**
 * Parses JSON of an untrusted caller. Empty lists take thirty times the memory of their text, so values are counted
 * before they are allocated.
 * @throws SyntaxError if the text is not JSON or has more than `most` values
 */
export function parseUpTo(text: string, most: number): unknown {
  if (hasMore(text, most)) throw new SyntaxError(`the text has more than ${most} values`)
  return JSON.parse(text)
}

/**
 * Every value but the first follows one of these characters; so does every key of an object, which is counted
 * together with its value.
 */
const beginnings = new Set([',', '[', '{'].map((sign) => sign.charCodeAt(0)))
const quote = '"'.charCodeAt(0)

function hasMore(text: string, most: number): boolean {
  // A value has at least one character.
  if (text.length <= most) return false
  let values = 1
  for (let at = 0; at < text.length && values <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (beginnings.has(code)) values++
  }
  return values > most
}

/** Returns the end of the string that begins at a quote, or the text's length if the string has no end. */
function endOfString(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
  }
}

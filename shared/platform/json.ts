/** Whether a JSON value is nested no deeper than `depth`; it looks no deeper itself. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1))
}

/**
 * Reads JSON of a caller who is not trusted. Empty lists take thirty times the memory that their text takes, so
 * values are counted before any is made.
 * @throws SyntaxError for what is no JSON, or has more than `most` values
 */
export function parseUpTo(text: string, most: number): unknown {
  if (hasMore(text, most)) throw new SyntaxError(`the text has more than ${most} values`)
  return JSON.parse(text)
}

/** Every value but the first stands behind one of these; a name in an object does too, and its value counts with it. */
const beginnings = new Set([',', '[', '{'].map((sign) => sign.charCodeAt(0)))
const quote = '"'.charCodeAt(0)

function hasMore(text: string, most: number): boolean {
  // A value takes a character at least.
  if (text.length <= most) return false
  let values = 1
  for (let at = 0; at < text.length && values <= most; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (beginnings.has(code)) values++
  }
  return values > most
}

/** Where the string that begins at a quote ends; the text's end for one without an end. */
function endOfString(text: string, begin: number): number {
  for (let end = begin; ;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let escapes = 0
    while (text[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
  }
}

/** What moves a terminal's cursor, or turns the direction of writing. */
const unprintable = /[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu

/**
 * Text as a terminal may be sent it: what moves its cursor or turns the direction of writing is replaced by U+FFFD,
 * one character at a time, so that a sequence which comes in two pieces is caught as well. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (found) => (/[\n\t]/.test(found) ? found : '\uFFFD'))
}

/** A line of JSON as a terminal may be sent it: the same value, with all such characters as `\u` and four digits. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    unprintable,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

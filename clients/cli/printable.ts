/**
 * Characters that move the cursor of a terminal or change the direction of writing, and tags and variation selectors
 * that are not displayed, but that a model reads.
 */
const unprintable = /[\p{Cc}\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E0FFF}]/gu

/**
 * Replaces these characters, except newline and tab, by U+FFFD.
 * Each character is replaced separately, so a control sequence that is split over two pieces is caught too.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, (found) => (/[\n\t]/.test(found) ? found : '\uFFFD'))
}

/** Returns a line of JSON that is safe to print: the same value, with the same characters written as `\uXXXX`. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(unprintable, (found) => found.replaceAll(/[^]/g, escaped))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

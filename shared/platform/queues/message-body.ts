/**
 * Characters that JSON does not escape although a queue may refuse them: SQS refuses U+FFFE and U+FFFF, and some
 * local engines refuse characters beyond U+FFFF, which are surrogate pairs here.
 */
const untakeable = /[\uD800-\uDFFF\uFFFE\uFFFF]/g

/** Returns a value as the body of a message: JSON, with escapes for characters that a queue may refuse. */
export function messageBody(value: unknown): string {
  return JSON.stringify(value).replace(
    untakeable,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
}

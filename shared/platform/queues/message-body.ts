/**
 * What JSON leaves as it is although a queue may refuse it: SQS takes no U+FFFE and U+FFFF, and some engines in its
 * place no character beyond U+FFFF either, which are two halves here.
 */
const untakeable = /[\uD800-\uDFFF\uFFFE\uFFFF]/g

/** A value as the body of a queue's message: JSON, with escapes for what a queue may refuse. */
export function messageBody(value: unknown): string {
  return JSON.stringify(value).replace(
    untakeable,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
}

/** Returns JSON in ASCII: unlike SQS, the queue engine accepts no characters beyond U+FFFF. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

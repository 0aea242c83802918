/** JSON in ASCII alone: the queue engine takes fewer characters than SQS does, none beyond U+FFFF. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

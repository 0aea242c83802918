/**
 * Returns the first line of a mail. Anyone can cause a mail to a stranger by signing up with the stranger's
 * address, so a name that could contain a message, or become a link in a mail client, is left out.
 */
export function greeting(name: string, email: string): string {
  const plain = plainName(name)
  return plain !== undefined && plain !== email ? `Hello ${plain},` : 'Hello,'
}

/** Returns a name in one line for a mail; undefined if it could contain a message or become a link. */
export function plainName(name: string): string | undefined {
  const oneLine = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const plain = oneLine !== '' && oneLine.length <= 40 && !/[/\\:@<>]|\.\S/.test(oneLine)
  return plain ? oneLine : undefined
}

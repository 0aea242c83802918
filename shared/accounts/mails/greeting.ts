/**
 * The first line of a mail. Anyone can have a mail sent to anyone by signing up with their address, so a name that
 * could carry a message or that a mail client would turn into a link is left out.
 */
export function greeting(name: string, email: string): string {
  const plain = plainName(name)
  return plain !== undefined && plain !== email ? `Hello ${plain},` : 'Hello,'
}

/** A name on one line as a mail may show it; undefined for one that could carry a message or become a link. */
export function plainName(name: string): string | undefined {
  const oneLine = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const plain = oneLine !== '' && oneLine.length <= 40 && !/[/\\:@<>]|\.\S/.test(oneLine)
  return plain ? oneLine : undefined
}

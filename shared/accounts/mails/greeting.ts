/**
 * The first line of a mail. Anyone can have a mail sent to anyone by signing up with their address, so a name that
 * could carry a message or that a mail client would turn into a link is left out.
 */
export function greeting(name: string, email: string): string {
  const oneLine = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const plain = oneLine !== '' && oneLine.length <= 40 && !/[/\\:@<>]|\.\S/.test(oneLine)
  return plain && oneLine !== email ? `Hello ${oneLine},` : 'Hello,'
}

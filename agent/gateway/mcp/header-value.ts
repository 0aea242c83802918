/** Visible ASCII with blanks inside, which no recipient changes. */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** Returns a name as the value of a header, by MCP 2026-07-28: another one than plain ASCII is the base64 of its UTF-8. */
export function headerValue(name: string): string {
  const isPlain = plain.test(name) && !/^=\?base64\?.*\?=$/.test(name)
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

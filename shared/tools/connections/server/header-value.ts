/** The form of a text that a header cannot contain as it is, by MCP 2026-07-28: the base64 of its UTF-8. */
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

/** Visible ASCII with blanks inside, which no recipient changes. */
const plain = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/** Returns the value of a header that repeats a text of the message: `mcp-name`, or `mcp-param-…`. */
export function headerValue(text: string): string {
  const isPlain = plain.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : encoded(text)
}

/** Estimates for what no provider has counted, on the high side: a token is seldom less than three bytes of UTF-8. */
const bytesPerToken = 3

/** What a message costs beside its text: its role and its frame. */
const tokensPerMessage = 8

/** An image or another part that is no text; providers count most of them for less. */
const tokensPerPart = 1500

/** A file that is only named: its provider fetches it, and reads as much as most models take. */
const tokensPerNamedFile = 128_000

const named = /"file_id"|"\s*[a-z][a-z\d+.-]*:\/\//i

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

interface Prompt {
  messages: readonly { content?: unknown; [field: string]: unknown }[]
  tools?: unknown
  response_format?: unknown
}

/** The tokens that a request brings along. */
export function estimatePrompt({ messages, tools, response_format }: Prompt): number {
  return messages.reduce(
    // Whatever a message has beside its text is read as well: names, calls, refusals.
    (sum, { content, role: _, ...rest }) =>
      sum + tokensPerMessage + contentTokens(content) + jsonTokens(...Object.values(rest)),
    jsonTokens(tools, response_format),
  )
}

function jsonTokens(...values: readonly unknown[]): number {
  const given = values.filter((value) => value !== undefined && value !== null)
  return given.reduce<number>((sum, value) => sum + estimateTokens(JSON.stringify(value)), 0)
}

function contentTokens(content: unknown): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return 0
  return content.reduce<number>((sum, part: { type?: unknown; text?: unknown }) => {
    if (part.type === 'text' && typeof part.text === 'string')
      return sum + estimateTokens(part.text)
    return sum + partTokens(part)
  }, 0)
}

/** An image is counted by its size on the screen, not by its bytes; a file may be read as text. */
function partTokens(part: { type?: unknown }): number {
  if (part.type === 'image_url') return tokensPerPart
  const json = JSON.stringify(part)
  const least = named.test(json) ? tokensPerNamedFile : tokensPerPart
  return Math.max(least, estimateTokens(json))
}

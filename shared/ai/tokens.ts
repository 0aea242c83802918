/** Estimates for what no provider has counted, on the high side: a token is seldom less than three bytes of UTF-8. */
const bytesPerToken = 3

/** What a message costs beside its text: its role and its frame. */
const tokensPerMessage = 8

/** An image or another part that is no text; providers count most of them for less. */
const tokensPerPart = 1500

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

interface Prompt {
  messages: readonly { content?: unknown; tool_calls?: unknown }[]
  tools?: unknown
  response_format?: unknown
}

/** The tokens that a request brings along. */
export function estimatePrompt({ messages, tools, response_format }: Prompt): number {
  const json = (value: unknown) => (value === undefined ? 0 : estimateTokens(JSON.stringify(value)))
  return messages.reduce(
    (sum, { content, tool_calls }) =>
      sum + tokensPerMessage + contentTokens(content) + json(tool_calls),
    json(tools) + json(response_format),
  )
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
  return Math.max(tokensPerPart, estimateTokens(JSON.stringify(part)))
}

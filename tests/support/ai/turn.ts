/** One answer of a played model. */
export interface Turn {
  thinking?: string
  text?: string
  calls?: readonly { id: string; name: string; input: object }[]
  /** The reported tokens of the answer. Default: 10. */
  output_tokens?: number
}

/** An event of the streams of Anthropic's Messages and OpenAI's Responses. */
export type PlayedEvent = { type: string } & Record<string, unknown>

/** Splits a text into pieces, as streams do. */
export function piecesOf(text: string): string[] {
  return text.match(/[^]{1,200}/gu) ?? []
}

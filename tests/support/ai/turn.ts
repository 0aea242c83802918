/** One answer of a played model. */
export interface Turn {
  thinking?: string
  text?: string
  calls?: readonly { id: string; name: string; input: object }[]
  /** The reported tokens of the answer. Default: 10. */
  output_tokens?: number
}

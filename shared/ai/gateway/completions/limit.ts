/** contract.md 5. */
export const defaultAnswerTokens = 16_384

/** The maximum number of tokens that one choice may have, and whether it is enforced. */
export interface AnswerLimit {
  tokens: number
  /** True if the limit is sent to the model and the answer is cut there. */
  isSent: boolean
  /** True if the caller set the limit. */
  fromCaller: boolean
}

/**
 * Returns the limit of an answer. The default is 16,384 tokens. If the caller has a quota or cap, the default is also
 * sent to the model, because the reservation must cover the answer.
 * @param maxTokens the caller's limit
 */
export function answerLimit(maxTokens: number | undefined, isLimited: boolean): AnswerLimit {
  return maxTokens === undefined
    ? { tokens: defaultAnswerTokens, isSent: isLimited, fromCaller: false }
    : { tokens: maxTokens, isSent: true, fromCaller: true }
}

/** The limit in a family whose answers have no limit of tokens. */
export const noLimit: AnswerLimit = { tokens: 0, isSent: false, fromCaller: false }

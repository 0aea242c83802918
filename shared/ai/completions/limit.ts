import type { LimitField } from '../providers/provider.ts'
import type { ChatRequest } from '../request.ts'

/** contract.md 5. */
const defaultAnswerTokens = 16_384

/** The most tokens that one choice may have, and whether the model is held to it. */
export interface AnswerLimit {
  tokens: number
  /** True if the limit is sent to the model and the answer is cut there. */
  told: boolean
  /** True if the caller set the limit. */
  given: boolean
}

/**
 * The limit that the caller set, of two the smaller. Without one an answer is taken to have 16,384 tokens at most; where
 * the caller's calls are limited the model is held to that, or else what was reserved would bound nothing.
 */
export function answerLimit(request: ChatRequest, limited: boolean): AnswerLimit {
  const { max_completion_tokens, max_tokens } = request
  const limits = [max_completion_tokens, max_tokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0
    ? { tokens: defaultAnswerTokens, told: limited, given: false }
    : { tokens: Math.min(...limits), told: true, given: true }
}

/** A request with its limit in the fields that its provider obeys. */
export function withLimit(
  { max_completion_tokens: _, max_tokens: __, ...request }: ChatRequest,
  { tokens, told }: AnswerLimit,
  fields: readonly LimitField[],
): ChatRequest {
  return told
    ? { ...request, ...Object.fromEntries(fields.map((field) => [field, tokens])) }
    : request
}

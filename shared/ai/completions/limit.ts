import type { LimitField } from '../providers/limit.ts'
import type { ChatRequest } from '../request.ts'

/** contract.md 5. */
const defaultAnswerTokens = 4096

/** The most tokens that one choice may have, and whether the model is told so. */
export interface AnswerLimit {
  tokens: number
  told: boolean
}

/**
 * The limit that the caller set, of two the smaller. Without one an answer is taken to have 4,096 tokens at most; where
 * the caller's calls are limited the model is held to that, or else what was reserved would bound nothing.
 */
export function answerLimit(request: ChatRequest, limited: boolean): AnswerLimit {
  const { max_completion_tokens, max_tokens } = request
  const given = [max_completion_tokens, max_tokens].filter((limit) => typeof limit === 'number')
  return given.length === 0
    ? { tokens: defaultAnswerTokens, told: limited }
    : { tokens: Math.min(...given), told: true }
}

/** A request with its limit in the one field that its provider obeys. */
export function withLimit(
  { max_completion_tokens: _, max_tokens: __, ...request }: ChatRequest,
  { tokens, told }: AnswerLimit,
  field: LimitField,
): ChatRequest {
  return told ? { ...request, [field]: tokens } : request
}

import type { LimitField } from '../providers/provider.ts'
import type { CompletionRequest } from '../request.ts'

/** contract.md 5. */
const defaultAnswerTokens = 16_384

/** The maximum number of tokens that one choice may have, and whether the model is held to it. */
export interface AnswerLimit {
  tokens: number
  /** True if the limit is sent to the model and the answer is cut there. */
  isSent: boolean
  /** True if the caller set the limit. */
  fromCaller: boolean
}

/**
 * Returns the caller's limit, or the smaller one of two. The default is 16,384 tokens. If the caller has a quota or
 * cap, the default is also sent to the model, because the reservation must cover the answer.
 */
export function answerLimit(request: CompletionRequest, limited: boolean): AnswerLimit {
  const { max_completion_tokens, max_tokens } = request
  const limits = [max_completion_tokens, max_tokens].filter((limit) => typeof limit === 'number')
  return limits.length === 0
    ? { tokens: defaultAnswerTokens, isSent: limited, fromCaller: false }
    : { tokens: Math.min(...limits), isSent: true, fromCaller: true }
}

/** True if a request has a limit in any field. */
export function hasLimit({ max_completion_tokens, max_tokens }: CompletionRequest): boolean {
  return (max_completion_tokens ?? max_tokens ?? undefined) !== undefined
}

/** A request with its limit in the fields that its provider obeys. */
export function withLimit(
  { max_completion_tokens: _, max_tokens: __, ...request }: CompletionRequest,
  { tokens, isSent }: AnswerLimit,
  fields: readonly LimitField[],
): CompletionRequest {
  return isSent
    ? { ...request, ...Object.fromEntries(fields.map((field) => [field, tokens])) }
    : request
}

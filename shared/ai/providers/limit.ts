import { isOpenAi } from './dialect.ts'
import type { Route } from './provider.ts'

export type LimitField = 'max_completion_tokens' | 'max_tokens'

/**
 * OpenAI's models that reason. They refuse `max_tokens`, wherever they are asked: OpenAI's API reference, Create chat
 * completion, `max_tokens` (read on 2026-11-22).
 */
const reasoning = /^(openai\/)?(o\d|gpt-5)/

/**
 * The one field in which a provider obeys a limit of what a choice may have. Most endpoints that speak OpenAI's form
 * know `max_tokens` alone and pass over the newer field without a word, and OpenAI refuses a request with both.
 */
export function limitField({ provider, model }: Route): LimitField {
  return isOpenAi(provider) || reasoning.test(model) ? 'max_completion_tokens' : 'max_tokens'
}

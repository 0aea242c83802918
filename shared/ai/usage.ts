import * as z from 'zod'
import { once } from '../platform/once.ts'

/** What a call used, as its provider counted it. */
export interface TokenUsage {
  inputTokens: number
  outputTokens: number
  /** What the provider says it cost, where it says so. */
  costUsd?: number
}

/** USD, and more than any call costs: what a provider says beyond it is a mistake, and no number that can be counted with. */
const mostUsd = 1_000_000

const reported = once(() => {
  const tokens = z.number().int().min(0).max(1_000_000_000)
  return z.object({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    cost: z
      .number()
      .min(0)
      .max(mostUsd)
      .transform((usd) => Number(usd.toFixed(12)))
      .optional()
      .catch(undefined),
  })
})

/** The `usage` of an answer or of a chunk; undefined where there is none to believe. */
export function readUsage(usage: unknown): TokenUsage | undefined {
  const parsed = reported().safeParse(usage)
  if (!parsed.success) return undefined
  const { prompt_tokens, completion_tokens, cost } = parsed.data
  return {
    inputTokens: prompt_tokens,
    outputTokens: completion_tokens,
    ...(cost !== undefined && { costUsd: cost }),
  }
}

/** OpenAI's form of it. */
export function writeUsage({ inputTokens, outputTokens }: TokenUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
}

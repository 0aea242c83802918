import { add, type Amount, amountOf, average, toNumber } from '#shared/money/amounts/amount.ts'

/** The totals of calls. */
export interface Totals {
  calls: number
  failures: number
  inputTokens: number
  outputTokens: number
  /** Parts of the two above: input tokens read from or written to a cache, and output tokens for reasoning. */
  cacheReadTokens: number
  cacheWriteTokens: number
  reasoningTokens: number
  cost: Amount<'meteredUSD'>
  /** Calls without a known cost; `cost` does not contain them. */
  unpriced: number
  durationMs: number
}

export const noUsage: Readonly<Totals> = {
  calls: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  cost: amountOf('meteredUSD', 0n),
  unpriced: 0,
  durationMs: 0,
}

export function plus(a: Totals, b: Totals): Totals {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cost: add(a.cost, b.cost),
    unpriced: a.unpriced + b.unpriced,
    durationMs: a.durationMs + b.durationMs,
  }
}

/** Subtracts a part from a total. A part that was read later may exceed the total, so negative results become 0. */
export function minus(whole: Totals, part: Totals): Totals {
  const remaining = whole.cost.minor - part.cost.minor
  return {
    calls: Math.max(0, whole.calls - part.calls),
    failures: Math.max(0, whole.failures - part.failures),
    inputTokens: Math.max(0, whole.inputTokens - part.inputTokens),
    outputTokens: Math.max(0, whole.outputTokens - part.outputTokens),
    cacheReadTokens: Math.max(0, whole.cacheReadTokens - part.cacheReadTokens),
    cacheWriteTokens: Math.max(0, whole.cacheWriteTokens - part.cacheWriteTokens),
    reasoningTokens: Math.max(0, whole.reasoningTokens - part.reasoningTokens),
    cost: amountOf('meteredUSD', remaining > 0n ? remaining : 0n),
    unpriced: Math.max(0, whole.unpriced - part.unpriced),
    durationMs: Math.max(0, whole.durationMs - part.durationMs),
  }
}

export function sumOf(parts: readonly Totals[]): Totals {
  return parts.reduce(plus, noUsage)
}

export function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens
}

/** Returns tokens and cost in the form of both surfaces. */
export function figuresOf(totals: Totals) {
  return {
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    total_tokens: tokensOf(totals),
    cost_usd: totalCost(totals),
  }
}

/** Returns the cached and reasoning tokens in the form of the web surface. */
export function partsOf({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: Totals) {
  return {
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
    reasoning_tokens: reasoningTokens,
  }
}

/** Returns the cost in USD of the calls with a known price, or null if calls exist and no price is known. */
export function totalCost({ calls, unpriced, cost }: Totals): number | null {
  return calls > 0 && unpriced >= calls ? null : toNumber(cost)
}

/** Returns the average cost in USD of the calls with a known price, or null if no price is known. */
export function averageCost({ calls, unpriced, cost }: Totals): number | null {
  return calls > unpriced ? toNumber(average(cost, calls - unpriced)) : null
}

/**
 * Returns the average response time in milliseconds and the rates of success and failure (0 to 1), or null without
 * calls.
 */
export function performanceOf({ calls, failures, durationMs }: Totals): {
  averageResponseMs: number | null
  successRate: number | null
  errorRate: number | null
} {
  if (calls === 0) return { averageResponseMs: null, successRate: null, errorRate: null }
  return {
    averageResponseMs: Math.round(durationMs / calls),
    successRate: (calls - failures) / calls,
    errorRate: failures / calls,
  }
}

/** Sorts in descending order, unknown values last. */
export function descending(a: number | null, b: number | null): number {
  return (b ?? -1) - (a ?? -1)
}

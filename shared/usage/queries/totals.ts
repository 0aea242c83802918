/** What calls add up to. */
export interface Totals {
  calls: number
  failures: number
  inputTokens: number
  outputTokens: number
  /** Billionths of a dollar, whole, so that parts add up to their sum exactly; safe up to 9 million dollars. */
  nanoUsd: number
  /** Calls whose cost nobody knows; `nanoUsd` leaves them out. */
  unpriced: number
  durationMs: number
}

export const nothing: Readonly<Totals> = {
  calls: 0,
  failures: 0,
  inputTokens: 0,
  outputTokens: 0,
  nanoUsd: 0,
  unpriced: 0,
  durationMs: 0,
}

export function plus(a: Totals, b: Totals): Totals {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    nanoUsd: a.nanoUsd + b.nanoUsd,
    unpriced: a.unpriced + b.unpriced,
    durationMs: a.durationMs + b.durationMs,
  }
}

export function sumOf(parts: readonly Totals[]): Totals {
  return parts.reduce(plus, nothing)
}

export function tokensOf({ inputTokens, outputTokens }: Totals): number {
  return inputTokens + outputTokens
}

/** What the calls cost in USD whose price is known; null where there are calls, and no price of any is. */
export function costOf({ calls, unpriced, nanoUsd }: Totals): number | null {
  return calls > 0 && unpriced >= calls ? null : nanoUsd / 1e9
}

/** What a call cost in USD on average, of those whose price is known; null where there are none. */
export function averageCost({ calls, unpriced, nanoUsd }: Totals): number | null {
  return calls > unpriced ? Math.round(nanoUsd / (calls - unpriced)) / 1e9 : null
}

/** How calls went: milliseconds on average, and the parts of 1 that succeeded and failed; null before there is any. */
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

/** The most first; what nobody knows last. */
export function descending(a: number | null, b: number | null): number {
  return (b ?? -1) - (a ?? -1)
}

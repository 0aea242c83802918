import type { UsageEvent } from './event.ts'
import { noAgent } from './rollups.ts'

/** What stands in the log for a model where there is none, as for a tool's call. */
const noModel = 'none'

/** The line of each recorded event: spec.md, Server log lines. */
export function logLine({
  agentId,
  model,
  inputTokens,
  outputTokens,
  costUsd,
}: UsageEvent): string {
  const cost = costUsd === null ? 'unknown' : decimal(costUsd)
  return `[UsageLogger] Logging: ${agentId ?? noAgent} | ${model ?? noModel} | ${inputTokens}+${outputTokens} tokens | $${cost}`
}

/** Without an exponent, however small. */
function decimal(value: number): string {
  return value.toFixed(10).replace(/\.?0+$/, '')
}

import type { UsageEvent } from './event.ts'
import { noAgent } from './rollups.ts'

/** The model in the log line of an event without a model, such as a tool call. */
const noModel = 'none'

/** Returns the log line of a recorded event: spec.md, Server log lines. */
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

/** Returns a decimal without an exponent. */
function decimal(value: number): string {
  return value.toFixed(10).replace(/\.?0+$/, '')
}

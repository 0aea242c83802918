import { amountOf } from '#shared/money/amounts/amount.ts'
import { type Days, eachDay } from '#shared/platform/days.ts'
import type { Rollup } from '../usage/queries/rollups.ts'

/** Sample agents for a dashboard without usage, to show new users what it contains. */
const agents = [
  {
    name: 'Sample: booking agent',
    model: 'openai/gpt-6.1-terra',
    calls: 42,
    costACall: 4_200_000n,
  },
  { name: 'Sample: fan support', model: 'openai/gpt-6-luna', calls: 120, costACall: 310_000n },
  {
    name: 'Sample: promoter',
    model: 'anthropic/claude-sonnet-5.5',
    calls: 9,
    costACall: 9_800_000n,
  },
] as const

/** Returns the same calls for every day of a period, with fewer on weekends. */
export function sampleRollups(days: Days): Rollup[] {
  return eachDay(days).flatMap((date) =>
    agents.map(({ name, model, calls: weekday, costACall }) => {
      const weekend = [0, 6].includes(new Date(date).getUTCDay())
      const calls = weekend ? Math.ceil(weekday / 3) : weekday
      return {
        date,
        agentId: name,
        model,
        provider: 'router',
        calls,
        failures: 0,
        inputTokens: calls * 900,
        outputTokens: calls * 240,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
        cost: amountOf('meteredUSD', BigInt(calls) * costACall),
        unpriced: 0,
        durationMs: calls * 1800,
      }
    }),
  )
}

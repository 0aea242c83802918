import { type Days, eachDay } from '#shared/platform/days.ts'
import { type Group, groupBy, type Rollup } from '../usage/queries/rollups.ts'
import {
  averageCost,
  totalCost,
  descending,
  noUsage,
  sumOf,
  tokensOf,
} from '../usage/queries/totals.ts'
import type { CostAnswer } from './schema.ts'
import { shares } from './shares.ts'

type Breakdown = Pick<CostAnswer, 'summary' | 'agents' | 'daily' | 'modelBreakdown'>

/**
 * Returns the dashboard's figures from rollups.
 * @param nameOf returns an agent's display name
 */
export function breakdownOf(
  rollups: readonly Rollup[],
  days: Days,
  nameOf: (agentId: string | null) => string,
): Breakdown {
  const totals = sumOf(rollups)
  return {
    summary: {
      totalCost: totalCost(totals),
      totalTokens: tokensOf(totals),
      totalCalls: totals.calls,
      avgCostPerCall: averageCost(totals),
    },
    agents: groupBy(rollups, ['agentId'])
      .sort(dearestFirst)
      .map(({ of: { agentId }, totals }) => ({
        name: nameOf(agentId),
        tokens: tokensOf(totals),
        cost: totalCost(totals),
        calls: totals.calls,
        avgCostPerCall: averageCost(totals),
        model: mostCalled(rollups.filter((rollup) => rollup.agentId === agentId)),
      })),
    daily: daily(rollups, days),
    modelBreakdown: breakdown(rollups),
  }
}

function dearestFirst({ totals: a }: Group<never>, { totals: b }: Group<never>): number {
  return descending(totalCost(a), totalCost(b)) || tokensOf(b) - tokensOf(a)
}

function mostCalled(rollups: readonly Rollup[]): string {
  const [most] = groupBy(rollups, ['model']).sort((a, b) => b.totals.calls - a.totals.calls)
  return most?.of.model ?? ''
}

function daily(rollups: readonly Rollup[], days: Days): Breakdown['daily'] {
  const byDate = new Map(groupBy(rollups, ['date']).map(({ of, totals }) => [of.date, totals]))
  return eachDay(days).map((date) => {
    const totals = byDate.get(date) ?? noUsage
    return { date: label(date), cost: totalCost(totals), tokens: tokensOf(totals) }
  })
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Formats `2026-11-21` as `Nov 21`. */
function label(date: string): string {
  return `${months[Number(date.slice(5, 7)) - 1]} ${Number(date.slice(8))}`
}

function breakdown(rollups: readonly Rollup[]): Breakdown['modelBreakdown'] {
  const models = groupBy(rollups, ['model']).sort(dearestFirst)
  const percents = shares(models.map(({ totals }) => totals.cost.minor))
  return models.map(({ of: { model }, totals }, index) => ({
    model,
    percent: percents[index] ?? 0,
    cost: totalCost(totals),
  }))
}

import type { Table } from '#shared/platform/table/port.ts'
import { visitModelDays } from '../platform-days/visit.ts'
import { type Group, grouping, type UsageQuery, visitRollups } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { scopeOfAgent } from './scope.ts'
import { totalCost, descending, figuresOf, partsOf, tokensOf } from './totals.ts'

/** Returns usage by model and provider, most expensive first. */
export async function usageByModel(
  { table }: { table: Table },
  query: UsageQuery,
): Promise<UsageItem<'ownByModel'>[]> {
  const { add, groups } = grouping(['model', 'provider'])
  await visitModelDays(table, query, add)
  return groups()
    .sort(dearestFirst)
    .map((group) =>
      Object.assign(item(group), { ...partsOf(group.totals), turns: group.totals.calls }),
    )
}

/** Returns usage by model for one agent. Another user's agent has no usage in the scope. */
export async function usageByAgent(
  { table }: { table: Table },
  { scope, days, agentId }: UsageQuery & { agentId: string },
): Promise<UsageItem<'byAgent'>[]> {
  const { add, groups } = grouping(['model', 'provider'])
  const narrow = { scope: await scopeOfAgent(table, scope, agentId), days }
  await visitRollups(table, narrow, (rollup) => {
    if (rollup.agentId === agentId) add(rollup)
  })
  return groups()
    .sort(dearestFirst)
    .map((group) => Object.assign(item(group), { events: group.totals.calls }))
}

type ModelGroup = Group<'model' | 'provider'>

function dearestFirst({ totals: a }: ModelGroup, { totals: b }: ModelGroup): number {
  return descending(totalCost(a), totalCost(b)) || tokensOf(b) - tokensOf(a)
}

function item({ of: { model, provider }, totals }: ModelGroup) {
  return { model, provider, ...figuresOf(totals) }
}

import type { Table } from '#shared/platform/table/port.ts'
import { visitModelDays } from '../platform-days/visit.ts'
import { grouping, type UsageQuery } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { totalCost, partsOf, tokensOf } from './totals.ts'

/** Returns usage by day, oldest first, without days that have no usage. */
export async function dailyUsage(
  { table }: { table: Table },
  query: UsageQuery,
): Promise<UsageItem<'ownDaily'>[]> {
  const { add, groups } = grouping(['date'])
  await visitModelDays(table, query, add)
  return groups()
    .map(({ of: { date }, totals }) =>
      Object.assign(partsOf(totals), {
        date,
        total_tokens: tokensOf(totals),
        cost_usd: totalCost(totals),
        turns: totals.calls,
      }),
    )
    .sort((a, b) => a.date.localeCompare(b.date))
}

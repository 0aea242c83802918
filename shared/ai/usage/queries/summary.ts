import type { Table } from '#shared/platform/table/port.ts'
import { groupUsage, type UsageQuery } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { figuresOf } from './totals.ts'

/** Returns usage by day, agent and model, oldest day first and most tokens first within a day. */
export async function usageSummary(
  { table }: { table: Table },
  query: UsageQuery,
): Promise<UsageItem<'summary'>[]> {
  const groups = await groupUsage(table, query, ['date', 'agentId', 'model', 'provider'])
  return groups
    .map(({ of: { date, agentId, model, provider }, totals }) =>
      Object.assign(figuresOf(totals), {
        date,
        agent_id: agentId,
        model,
        provider,
        turn_count: totals.calls,
      }),
    )
    .sort((a, b) => a.date.localeCompare(b.date) || b.total_tokens - a.total_tokens)
}

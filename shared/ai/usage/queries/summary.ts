import type { Table } from '#shared/platform/table/port.ts'
import { groupUsage, type UsageQuery } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { totalCost, tokensOf } from './totals.ts'

/** Returns usage by day, agent and model, oldest day first and most tokens first within a day. */
export async function usageSummary(
  { table }: { table: Table },
  query: UsageQuery,
): Promise<UsageItem<'summary'>[]> {
  const groups = await groupUsage(table, query, ['date', 'agentId', 'model', 'provider'])
  return groups
    .map(({ of: { date, agentId, model, provider }, totals }) => ({
      date,
      agent_id: agentId,
      model,
      provider,
      input_tokens: totals.inputTokens,
      output_tokens: totals.outputTokens,
      total_tokens: tokensOf(totals),
      cost_usd: totalCost(totals),
      turn_count: totals.calls,
    }))
    .sort((a, b) => a.date.localeCompare(b.date) || b.total_tokens - a.total_tokens)
}

import { listAgents } from '#shared/agents/record/list.ts'
import type { Days } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { groupUsage } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { descending, figuresOf, partsOf } from './totals.ts'

/**
 * Returns a user's usage by day, agent and model, oldest day first and most expensive first within a day. All other
 * views add up these figures.
 */
export async function usageBreakdown(
  { table }: { table: Table },
  { userId, days }: { userId: string; days: Days },
): Promise<UsageItem<'breakdown'>[]> {
  const [groups, agents] = await Promise.all([
    groupUsage(table, { scope: { userId }, days }, ['date', 'agentId', 'model', 'provider']),
    listAgents({ table }, { userId }),
  ])
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  return groups
    .map(({ of: { date, agentId, model, provider }, totals }) =>
      Object.assign(figuresOf(totals), partsOf(totals), {
        date,
        agent_id: agentId,
        agent_name: names.get(agentId ?? '') ?? null,
        model,
        provider,
        turns: totals.calls,
        unpriced: totals.unpriced,
      }),
    )
    .sort((a, b) => a.date.localeCompare(b.date) || descending(a.cost_usd, b.cost_usd))
}

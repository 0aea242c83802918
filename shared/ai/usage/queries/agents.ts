import { listAgents } from '#shared/agents/record/list.ts'
import type { Days } from '#shared/platform/days.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { groupUsage } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { descending, figuresOf, partsOf } from './totals.ts'

/**
 * Returns a user's usage by agent, most expensive first. Calls without an agent have no id, and deleted agents no name.
 */
export async function usageOfAgents(
  { table }: { table: Table },
  { userId, days }: { userId: string; days: Days },
): Promise<UsageItem<'agents'>[]> {
  const [groups, agents] = await Promise.all([
    groupUsage(table, { scope: { userId }, days }, ['agentId']),
    listAgents({ table }, { userId }),
  ])
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  return groups
    .map(({ of: { agentId }, totals }) =>
      Object.assign(figuresOf(totals), partsOf(totals), {
        agent_id: agentId,
        agent_name: names.get(agentId ?? '') ?? null,
        turns: totals.calls,
      }),
    )
    .sort((a, b) => descending(a.cost_usd, b.cost_usd) || b.turns - a.turns)
}

import type { Table } from '#shared/platform/table/port.ts'
import { userToolRows } from '../rows.ts'
import { visitDays } from './read.ts'
import type { UsageQuery } from './rollups.ts'
import type { UsageItem } from './schema.ts'
import { scopeOfAgent } from './scope.ts'

/** Returns tool calls by tool name, most calls first. If `agentId` is set, only that agent's calls. */
export async function toolUsage(
  { table }: { table: Table },
  { scope, days, agentId }: UsageQuery & { agentId: string | undefined },
): Promise<UsageItem<'tools'>[]> {
  const tools = new Map<string, { calls: number; successes: number; durationMs: number }>()
  const narrow = agentId === undefined ? scope : await scopeOfAgent(table, scope, agentId)
  await visitDays(table, { scope: narrow, days, rows: userToolRows }, (item) => {
    const row = userToolRows.parse(item)
    if (agentId !== undefined && row.agentId !== agentId) return
    const { calls = 0, successes = 0, durationMs = 0 } = tools.get(row.toolName) ?? {}
    tools.set(row.toolName, {
      calls: calls + row.calls,
      successes: successes + row.successes,
      durationMs: durationMs + row.durationMs,
    })
  })
  return [...tools]
    .map(([tool_name, { calls, successes, durationMs }]) => ({
      tool_name,
      calls,
      successes,
      avg_ms: Math.round(durationMs / calls),
    }))
    .sort((a, b) => b.calls - a.calls)
}

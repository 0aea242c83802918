import type { Table } from '../../platform/table/port.ts'
import { userStore } from '../../platform/table/user-store.ts'
import type { ToolEvent } from '../event.ts'
import { userToolRows } from '../rows.ts'

/**
 * How many of an agent's tools are counted by their names a day. Agents name their tools themselves, and each name is
 * rows that every view has to read; reports side by side may pass it by a few.
 */
const mostTools = 200

/** What the others are counted as. */
const otherTools = 'other'

/** The names that tool calls of one day are counted by. */
export async function countedNames(
  table: Table,
  events: readonly ToolEvent[],
): Promise<(event: ToolEvent) => string> {
  const agents = [...new Map(events.map((event) => [event.agentId, event])).values()]
  const known = new Map(
    await Promise.all(
      agents.map(async (event) => [event.agentId, await namesOf(table, event)] as const),
    ),
  )
  const counted = new Map<ToolEvent, string>()
  for (const event of events) {
    const names = known.get(event.agentId) ?? new Set()
    if (names.size < mostTools) names.add(event.toolName)
    counted.set(event, names.has(event.toolName) ? event.toolName : otherTools)
  }
  return (event) => counted.get(event) ?? event.toolName
}

async function namesOf(table: Table, event: ToolEvent): Promise<Set<string>> {
  const { agentId, createdAt } = event
  const beginsWith = userToolRows.prefix({ date: createdAt.slice(0, 10), agentId })
  const { items } = await userStore(table, event.userId).query({ beginsWith, limit: mostTools })
  return new Set(items.map((item) => userToolRows.parse(item).toolName))
}

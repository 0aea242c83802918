import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import type { ToolEvent } from '../event.ts'
import { userToolRows } from '../rows.ts'

/**
 * The maximum number of tools of an agent that are counted by name per day. Agents choose tool names, and each name is
 * a row that every view reads. Concurrent reports may exceed it slightly.
 */
const maxTools = 200

/** The name for all other tools. */
const otherTools = 'other'

/** Returns the name under which each tool call is counted. */
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
    if (names.size < maxTools) names.add(event.toolName)
    counted.set(event, names.has(event.toolName) ? event.toolName : otherTools)
  }
  return (event) => counted.get(event) ?? event.toolName
}

async function namesOf(table: Table, event: ToolEvent): Promise<Set<string>> {
  const { agentId, createdAt } = event
  const beginsWith = userToolRows.prefix({ date: createdAt.slice(0, 10), agentId })
  const { items } = await userStore(table, event.userId).query({ beginsWith, limit: maxTools })
  return new Set(items.map((item) => userToolRows.parse(item).toolName))
}

import type { Write } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'
import type { ToolEvent } from '../event.ts'
import { rollupPartition, rollupShardOf } from '../rollups.ts'

/** What the sort keys of tools' rollups begin with; they are rows of their own, since no model is in them. */
export const toolPrefix = 'tools'

/** The counters of an agent's day with one tool, the user's and the platform's. */
export function toolRollupWrites(event: ToolEvent): Write[] {
  const { agentId, toolName, userId } = event
  const date = event.createdAt.slice(0, 10)
  const sk = `${toolPrefix}#${date}#${agentId}#${toolName}`
  const update = {
    set: { date, agentId, toolName },
    add: { calls: 1, successes: event.success ? 1 : 0, durationMs: event.durationMs },
  }
  return [
    { update: { pk: userPartition(userId), sk }, ...update },
    { update: { pk: rollupPartition(rollupShardOf(event)), sk }, ...update },
  ]
}

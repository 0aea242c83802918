import type { Write } from '#shared/platform/table/port.ts'
import type { ToolEvent } from '../event.ts'
import { rollupShardOf } from '../rollups.ts'
import { platformToolRows, userToolRows } from '../rows.ts'

/**
 * Returns the writes of a tool call's daily rollups, the user's and the platform's.
 * @param toolName the name that the call is counted under
 */
export function toolRollupWrites(event: ToolEvent, toolName: string): Write[] {
  const { agentId, createdAt, userId } = event
  const key = { date: createdAt.slice(0, 10), agentId, toolName }
  const shard = String(rollupShardOf(event))
  const update = {
    set: key,
    add: { calls: 1, successes: event.success ? 1 : 0, durationMs: event.durationMs },
  }
  return [
    { update: userToolRows.key({ userId, ...key }), ...update },
    { update: platformToolRows.key({ shard, ...key }), ...update },
  ]
}

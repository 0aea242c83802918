import type { Write } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'
import type { ToolEvent } from '../event.ts'
import { rollupPartition, rollupShardOf } from '../rollups.ts'

/** What the sort keys of tools' rollups begin with; they are rows of their own, since no model is in them. */
export const toolPrefix = 'tools'

/** Where an agent's day with one tool counts, within the user's partition and the platform's. */
export function toolSortKey(
  { createdAt, agentId }: Pick<ToolEvent, 'agentId' | 'createdAt'>,
  toolName: string,
): string {
  return `${toolPrefix}#${createdAt.slice(0, 10)}#${agentId}#${toolName}`
}

/**
 * The counters of an agent's day with one tool, the user's and the platform's.
 * @param toolName what the call is counted as
 */
export function toolRollupWrites(event: ToolEvent, toolName: string): Write[] {
  const { agentId, createdAt, userId } = event
  const date = createdAt.slice(0, 10)
  const sk = toolSortKey(event, toolName)
  const update = {
    set: { date, agentId, toolName },
    add: { calls: 1, successes: event.success ? 1 : 0, durationMs: event.durationMs },
  }
  return [
    { update: { pk: userPartition(userId), sk }, ...update },
    { update: { pk: rollupPartition(rollupShardOf(event)), sk }, ...update },
  ]
}

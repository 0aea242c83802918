import type { Update, Write } from '../platform/table/port.ts'
import { shardOf } from '../platform/table/shard.ts'
import type { CompletionEvent } from './event.ts'
import { platformRollupRows, userRollupRows } from './rows.ts'

/** The platform's own rollups are spread over this many partitions, so that no single one takes every write. */
export const rollupShards = 16

/** What rows of calls without an agent have in their key: contract.md 6. */
export const noAgent = 'none'

/** Where an agent's calls count, or a user's without an agent. */
export function rollupShardOf({
  agentId,
  userId,
}: Pick<CompletionEvent, 'agentId' | 'userId'>): number {
  return shardOf(agentId ?? userId, rollupShards)
}

/** The counters of both rollups; `unpriced` counts the calls whose cost is not known, which `costUsd` leaves out. */
export function rollupWrites(event: CompletionEvent): Write[] {
  const { agentId, model, provider, createdAt } = event
  const update: Update = {
    set: { date: createdAt.slice(0, 10), agentId, model, provider },
    add: {
      calls: 1,
      failures: event.success ? 0 : 1,
      inputTokens: event.inputTokens,
      outputTokens: event.outputTokens,
      costUsd: event.costUsd ?? 0,
      unpriced: event.costUsd === null ? 1 : 0,
      durationMs: event.durationMs,
    },
  }
  const key = { date: createdAt.slice(0, 10), agent: agentId ?? noAgent, model, provider }
  const shard = String(rollupShardOf(event))
  return [
    { update: userRollupRows.key({ userId: event.userId, ...key }), ...update },
    { update: platformRollupRows.key({ shard, ...key }), ...update },
  ]
}

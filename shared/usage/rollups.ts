import type { Key, Update, Write } from '../platform/table/port.ts'
import { shardOf } from '../platform/table/shard.ts'
import { userPartition } from '../platform/table/user-store.ts'
import type { CompletionEvent } from './event.ts'

/** The platform's own rollups are spread over this many partitions, so that no single one takes every write. */
export const rollupShards = 16

/** What rows of calls without an agent have in their key: contract.md 6. */
export const noAgent = 'none'

type Dimensions = Pick<CompletionEvent, 'userId' | 'agentId' | 'model' | 'provider' | 'createdAt'>

function rollupSortKey({ agentId, model, provider, createdAt }: Dimensions): string {
  return `rollup#${createdAt.slice(0, 10)}#${agentId ?? noAgent}#${model}#${provider}`
}

/** A user's day with one agent and one model. */
export function userRollupKey(event: Dimensions): Key {
  return { pk: userPartition(event.userId), sk: rollupSortKey(event) }
}

/** The same day on the whole platform, in the shard of the agent, or of the user where there is none. */
export function platformRollupKey(event: Dimensions): Key {
  return { pk: rollupPartition(rollupShardOf(event)), sk: rollupSortKey(event) }
}

/** The partition of one of the platform's shards. */
export function rollupPartition(shard: number): string {
  return `rollups#${shard}`
}

/** Where an agent's calls count, or a user's without an agent. */
export function rollupShardOf({
  agentId,
  userId,
}: Pick<CompletionEvent, 'agentId' | 'userId'>): number {
  return shardOf(agentId ?? userId, rollupShards)
}

/** The counters of both rollups; `unpriced` counts the calls whose cost nobody knows, which `costUsd` leaves out. */
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
  return [
    { update: userRollupKey(event), ...update },
    { update: platformRollupKey(event), ...update },
  ]
}

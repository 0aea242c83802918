import type { Update, Write } from '#shared/platform/table/port.ts'
import type { NamedCall } from './event.ts'
import { isLate } from './platform-days/late.ts'
import { platformDayRows, platformRollupRows, userKeyRows, userRollupRows } from './rows.ts'
import { bookParts, partOfBooks, type Spread, spreadOf } from './shared-callers.ts'

/** The platform's own rollups are spread over this many partitions, so that no single one takes every write. */
export const rollupShards = 16

/** The agent in the key of a row without an agent: contract.md 6. */
export const noAgent = 'none'

/**
 * Returns the shard of an agent's calls, or of a user's calls without an agent. Calls of a shared caller are spread
 * over all shards.
 */
export function rollupShardOf(event: Spread): number {
  return spreadOf(event, rollupShards)
}

/** Returns the user id that an event's rows are stored under: the user's, or a part of a shared caller's. */
export function rowOwnerOf(event: Spread): string {
  return partOfBooks(event.userId, spreadOf(event, bookParts))
}

/**
 * Returns the writes of an event's rollups. An event with an API key has one more. `unpriced` counts the calls without
 * a known cost, which `costUsd` does not contain.
 * @param now epoch milliseconds; if the event's day may already be aggregated, the late event is counted
 */
export function rollupWrites(event: NamedCall, now = Date.now()): Write[] {
  const { agentId, model, provider, createdAt } = event
  const date = createdAt.slice(0, 10)
  const add = {
    calls: 1,
    failures: event.success ? 0 : 1,
    inputTokens: event.inputTokens,
    outputTokens: event.outputTokens,
    ...partsOf(event),
    costUsd: event.costUsd ?? 0,
    unpriced: event.costUsd === null ? 1 : 0,
    durationMs: event.durationMs,
  }
  const update: Update = { set: { date, agentId, model, provider }, add }
  const key = { date, agent: agentId ?? noAgent, model, provider }
  const shard = String(rollupShardOf(event))
  return [
    { update: userRollupRows.key({ userId: rowOwnerOf(event), ...key }), ...update },
    { update: platformRollupRows.key({ shard, ...key }), ...update },
    keyWrite(event, add),
    lateWrite(date, now),
  ].filter((write) => write !== undefined)
}

/** Returns counts that only some calls have. Zero counts add no attribute to the row. */
function partsOf(event: NamedCall): Record<string, number> {
  const { cacheReadTokens, cacheWriteTokens, reasoningTokens } =
    event.kind === 'completion' ? event : {}
  return {
    ...(cacheReadTokens && { cacheReadTokens }),
    ...(cacheWriteTokens && { cacheWriteTokens }),
    ...(reasoningTokens && { reasoningTokens }),
  }
}

/** Marks a day for another aggregation if the event is late. */
function lateWrite(date: string, now: number): Write | undefined {
  if (!isLate(date, now)) return undefined
  return { update: platformDayRows.key({ date }), set: { date }, add: { late: 1 } }
}

/** Returns the write of the key's daily rollup. Usage without a key is the rest of the user's day. */
function keyWrite(
  { userId, keyId, keyName = null, createdAt }: NamedCall,
  add: Record<string, number>,
): Write | undefined {
  if (keyId === null) return undefined
  const date = createdAt.slice(0, 10)
  return { update: userKeyRows.key({ userId, date, keyId }), set: { date, keyId, keyName }, add }
}

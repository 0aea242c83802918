import type { Update, Write } from '../platform/table/port.ts'
import type { NamedCall } from './event.ts'
import { isLate } from './platform-days/late.ts'
import { platformDayRows, platformRollupRows, userKeyRows, userRollupRows } from './rows.ts'
import { bookParts, partOfBooks, type Spread, spreadOf } from './shared-callers.ts'

/** The platform's own rollups are spread over this many partitions, so that no single one takes every write. */
export const rollupShards = 16

/** What rows of calls without an agent have in their key: contract.md 6. */
export const noAgent = 'none'

/** Where an agent's calls count, or a user's without an agent; those of a shared caller count anywhere. */
export function rollupShardOf(event: Spread): number {
  return spreadOf(event, rollupShards)
}

/** Whose name the rows of an event are kept by: its user's, or a part of a shared caller's. */
export function keeperOf(event: Spread): string {
  return partOfBooks(event.userId, spreadOf(event, bookParts))
}

/** The counters of the rollups, one more where a user's key asked; `unpriced` counts the calls whose cost is not known, which `costUsd` leaves out. @param now epoch milliseconds: what comes late is counted where its day may be added up */
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
    { update: userRollupRows.key({ userId: keeperOf(event), ...key }), ...update },
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

/** What is recorded after its day may have been added up has it added up again. */
function lateWrite(date: string, now: number): Write | undefined {
  if (!isLate(date, now)) return undefined
  return { update: platformDayRows.key({ date }), set: { date }, add: { late: 1 } }
}

/** The day of the key that asked; what no key asked for is what is left of the user's whole day. */
function keyWrite(
  { userId, keyId, keyName = null, createdAt }: NamedCall,
  add: Record<string, number>,
): Write | undefined {
  if (keyId === null) return undefined
  const date = createdAt.slice(0, 10)
  return { update: userKeyRows.key({ userId, date, keyId }), set: { date, keyId, keyName }, add }
}

import { dayAfter, type Days } from '#shared/platform/days.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { rollupShards } from '../rollups.ts'
import { platformRollupRows, type userKeyRows, userRollupRows, type userToolRows } from '../rows.ts'
import { rowOwnersOf } from '../shared-callers.ts'

/** The usage of the whole platform, of a user, or of one shard of the platform. */
export type UsageScope = 'platform' | { userId: string } | { shard: number }

function partitionsOf(scope: UsageScope): string[] {
  if (scope === 'platform')
    return Array.from({ length: rollupShards }, (_, shard) => shardPartition(shard))
  if ('userId' in scope)
    return rowOwnersOf(scope.userId).map((userId) => userRollupRows.pk({ userId }))
  return [shardPartition(scope.shard)]
}

function shardPartition(shard: number): string {
  return platformRollupRows.pk({ shard: String(shard) })
}

export interface DaysQuery {
  scope: UsageScope
  days: Days
  /** True for strongly consistent reads. Other reads may be slightly outdated and cost half as much. */
  consistent?: boolean
}

/** The kinds of daily rows. A user's and the platform's rows have the same sort keys. */
type Daily = typeof userRollupRows | typeof userToolRows | typeof userKeyRows

/**
 * Visits the rows of one kind in a range of days, page by page, so that only the visitor's result stays in memory.
 * Reads the platform's shards, or a shared caller's parts, concurrently.
 */
export async function visitDays(
  table: Table,
  { scope, rows: kind, days, consistent = false }: DaysQuery & { rows: Daily },
  visit: (row: Item) => void,
): Promise<void> {
  const between = [
    kind.prefix({ date: days.from }),
    kind.prefix({ date: dayAfter(days.to) }),
  ] as const
  await Promise.all(
    partitionsOf(scope).map(async (pk) => {
      const rows = everyItem((from) => table.query({ pk, between, consistent, ...from }))
      for await (const row of rows) visit(row)
    }),
  )
}

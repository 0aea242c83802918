import { everyItem } from '../../platform/table/pages.ts'
import type { Item, Table } from '../../platform/table/port.ts'
import { userPartition } from '../../platform/table/user-store.ts'
import { dayAfter, type Days } from '../days.ts'
import { rollupPartition, rollupShards } from '../rollups.ts'

/** Whose usage is asked for; a shard is a part of the platform's. */
export type Scope = 'platform' | { userId: string } | { shard: number }

function partitionsOf(scope: Scope): string[] {
  if (scope === 'platform')
    return Array.from({ length: rollupShards }, (_, shard) => rollupPartition(shard))
  return ['userId' in scope ? userPartition(scope.userId) : rollupPartition(scope.shard)]
}

/**
 * Visits the rows of a range of days whose sort keys are `<prefix>#<date>#…`, page by page, so that what is kept is
 * what the visitor keeps. The platform's shards are read side by side.
 */
export async function visitDays(
  table: Table,
  { scope, prefix, days }: { scope: Scope; prefix: string; days: Days },
  visit: (row: Item) => void,
): Promise<void> {
  const between = [`${prefix}#${days.from}`, `${prefix}#${dayAfter(days.to)}`] as const
  await Promise.all(
    partitionsOf(scope).map(async (pk) => {
      // Figures may be a moment behind, and cost half of what the newest would.
      const rows = everyItem((from) => table.query({ pk, between, consistent: false, ...from }))
      for await (const row of rows) visit(row)
    }),
  )
}

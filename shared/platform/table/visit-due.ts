import { isoOf } from '../times.ts'
import type { Item, Table } from './port.ts'

export interface DueQuery {
  /** Partitions of gsi1 whose sort keys begin with the due time, ISO 8601, and a `#`. */
  partitions: readonly string[]
  /** Epoch milliseconds. */
  now: number
  /** The attributes that the visit needs. Default: all. */
  select?: readonly string[]
}

/**
 * Visits the due rows page by page, and the partitions concurrently. A row whose due time the visit does not change is
 * due again in the next run.
 * @param visit returns the number of the page's rows that it processed
 * @returns the sum of these numbers
 */
export async function visitDue(
  table: Pick<Table, 'query'>,
  { partitions, now, ...select }: DueQuery,
  visit: (items: readonly Item[]) => Promise<number>,
): Promise<number> {
  // `~` sorts after the `#` that follows a time.
  const between = ['0', `${isoOf(now)}~`] as const
  const counts = await Promise.all(
    partitions.map(async (pk) => {
      let count = 0
      let from = {}
      for (;;) {
        const { items, next } = await table.query({
          index: 'gsi1',
          pk,
          between,
          ...select,
          ...from,
        })
        count += await visit(items)
        if (next === undefined) return count
        from = { after: next }
      }
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

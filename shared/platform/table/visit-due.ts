import type { Item, Table } from './port.ts'

export interface DueQuery {
  /** Of gsi1, whose sort keys begin with the time from which a row is due, ISO 8601, and a `#`. */
  partitions: readonly string[]
  /** Epoch milliseconds. */
  now: number
  /** The attributes that the visit needs; absent: all. */
  select?: readonly string[]
}

/**
 * Visits the rows that are due, a page at a time, the partitions side by side. A row that its visit leaves in the index
 * is due again the next time.
 * @param visit answers how many of the page's rows it did something for
 * @returns the sum of that
 */
export async function visitDue(
  table: Pick<Table, 'query'>,
  { partitions, now, ...select }: DueQuery,
  visit: (items: readonly Item[]) => Promise<number>,
): Promise<number> {
  // `~` sorts behind the `#` that follows a time.
  const between = ['0', `${new Date(now).toISOString()}~`] as const
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

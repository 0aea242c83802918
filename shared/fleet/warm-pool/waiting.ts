import { allItems } from '../../platform/table/pages.ts'
import type { Table } from '../../platform/table/port.ts'
import { poolPartition, type WarmContainer, warmRows } from './rows.ts'

/** The containers of a plan that have no agent, oldest first; one that changed just now may show what it was. */
export async function waitingContainers(table: Table, plan: string): Promise<WarmContainer[]> {
  const items = await allItems((from) =>
    table.query({ index: 'gsi1', pk: poolPartition(plan), ...from }),
  )
  return items.map(warmRows.parse)
}

import { allItems } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { poolPartition, type WarmContainer, warmRows } from './rows.ts'

/** Returns the containers of a plan without an agent, oldest first. Eventually consistent. */
export async function waitingContainers(table: Table, plan: string): Promise<WarmContainer[]> {
  const items = await allItems((from) =>
    table.query({ index: 'gsi1', pk: poolPartition(plan), ...from }),
  )
  return items.map(warmRows.parse)
}

import type * as z from 'zod'
import { deliveryPartition, deliveryShards } from '../bus/rows.ts'
import { entitlementPartition, entitlementShards } from '../entitlements/rows.ts'
import type { Table } from '../platform/table/port.ts'
import { schedulePartition, scheduleShards } from '../scheduled-tasks/rows.ts'
import { workPartitions } from '../splits/due.ts'
import type { backlog } from './schema.ts'

type Kind = z.input<typeof backlog>['work'][number]['kind']

const each = (shards: number, partition: (shard: number) => string) =>
  Array.from({ length: shards }, (_, shard) => partition(shard))

/** The partitions of the index that hold what ticks look after; sort keys begin with the time from which a row is due. */
const partitionsOf: Record<Kind, readonly string[]> = {
  'bus deliveries': each(deliveryShards, deliveryPartition),
  entitlements: each(entitlementShards, entitlementPartition),
  'scheduled runs': each(scheduleShards, schedulePartition),
  splits: workPartitions,
}

/** Beyond it a number would say no more, and cost more. */
const countedUpTo = 1000

/** What is due in the table and not done yet, by kind, and since when. A tick takes each up within minutes. */
export async function overdueWork(
  { table }: { table: Table },
  now = Date.now(),
): Promise<z.input<typeof backlog>> {
  const kinds = Object.entries(partitionsOf) as [Kind, readonly string[]][]
  return {
    work: await Promise.all(
      kinds.map(async ([kind, partitions]) => {
        const dues = (await Promise.all(partitions.map((pk) => dueIn(table, pk, now)))).flat()
        return {
          kind,
          overdue: Math.min(dues.length, countedUpTo),
          oldestDueAt: dues.sort()[0] ?? null,
        }
      }),
    ),
  }
}

/** Since when the rows of a partition are due, oldest first. */
async function dueIn(table: Table, pk: string, now: number): Promise<string[]> {
  // `~` sorts behind the `#` that follows a time.
  const between = ['0', `${new Date(now).toISOString()}~`] as const
  const { items } = await table.query({
    index: 'gsi1',
    pk,
    between,
    select: ['gsi1sk'],
    limit: countedUpTo,
  })
  return items.map(({ gsi1sk }) => String(gsi1sk).split('#')[0] ?? '')
}

import type * as z from 'zod'
import { usersDue } from '#shared/accounts/entitlements/rows.ts'
import { salesDue } from '#shared/conversations/paid-gateway/sales/rows.ts'
import { restoresDue } from '#shared/conversations/restore-points/rows.ts'
import { schedulesDue, startedDue } from '#shared/conversations/scheduled-tasks/rows.ts'
import { deliveriesDue } from '#shared/network/bus/rows.ts'
import { walletsDue } from '#shared/network/splits/due.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { webhooksDue } from '#shared/signals/outbound-webhooks/rows.ts'
import { videosDue } from '#shared/tools/videos/rows.ts'
import type { backlog } from './schema.ts'

type Kind = z.input<typeof backlog>['work'][number]['kind']

/** The index partitions of due work by kind; sort keys begin with the due time. */
const partitionsOf: Record<Kind, readonly string[]> = {
  'bus deliveries': deliveriesDue.partitions,
  entitlements: usersDue.partitions,
  restores: restoresDue.partitions,
  sales: salesDue.partitions,
  'scheduled runs': [...schedulesDue.partitions, ...startedDue.partitions],
  splits: walletsDue.partitions,
  videos: videosDue.partitions,
  'webhook deliveries': webhooksDue.partitions,
}

/** The maximum count, because a larger number would cost more without more information. */
const countedUpTo = 1000

/**
 * Returns the number of overdue rows in the table by kind, and the oldest due time. A tick handles each within
 * minutes.
 */
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

/** Returns the due times of a partition's rows, oldest first. */
async function dueIn(table: Table, pk: string, now: number): Promise<string[]> {
  // `~` sorts after the `#` that follows a time.
  const between = ['0', `${isoOf(now)}~`] as const
  const { items } = await table.query({
    index: 'gsi1',
    pk,
    between,
    select: ['gsi1sk'],
    limit: countedUpTo,
  })
  return items.map(({ gsi1sk }) => String(gsi1sk).split('#')[0] ?? '')
}

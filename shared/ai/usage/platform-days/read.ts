import type * as z from 'zod'
import type { Days } from '#shared/platform/days.ts'
import { everyItem } from '#shared/platform/table/pages.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { platformDayRows } from '../rows.ts'

export type PlatformDay = z.output<ReturnType<typeof platformDayRows.declared.schema>>

/** Returns the aggregated days of a range, oldest first. 365 days take a few hundred kilobytes. */
export async function readPlatformDays(
  table: Table,
  { from, to }: Days,
  { consistent }: { consistent: boolean },
): Promise<PlatformDay[]> {
  const between = [platformDayRows.sk({ date: from }), platformDayRows.sk({ date: to })] as const
  const rows = everyItem((page) =>
    table.query({ pk: platformDayRows.pk({}), between, consistent, ...page }),
  )
  const days: PlatformDay[] = []
  for await (const row of rows) days.push(platformDayRows.parse(row))
  return days
}

/** Reports whether a day's aggregate contains all its usage. */
export function isWhole({ added, late }: PlatformDay): boolean {
  return added === late
}

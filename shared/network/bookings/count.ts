import type { Table } from '#shared/platform/table/port.ts'
import { bookingCountRows } from './rows.ts'

/** Counts the bookings of a user's agents by state. */
export async function countBookings(
  { table }: { table: Table },
  { userId }: { userId: string },
): Promise<{ offered: number; accepted: number; declined: number }> {
  const row = await table.get(bookingCountRows.key({ userId }))
  return row ? bookingCountRows.parse(row) : { offered: 0, accepted: 0, declined: 0 }
}

import type { UserContext } from '../identity/context.ts'
import { userStore } from '../platform/table/user-store.ts'
import { bookingPointerRows, bookingRows } from './rows.ts'
import type { Booking } from './schema.ts'

/** What one page shows. */
const most = 100

/** The bookings in which the user's agents take part: the newest hundred, newest first. */
export async function listBookings({
  table,
  actor,
}: Pick<UserContext, 'actor' | 'table'>): Promise<Booking[]> {
  const { items } = await userStore(table, actor.user.id).query({
    beginsWith: bookingPointerRows.prefix(),
    descending: true,
    limit: most,
  })
  const rows = await table.getMany(
    items.map((item) => bookingRows.key(bookingPointerRows.parse(item))),
  )
  return rows.filter((row) => row !== undefined).map(bookingRows.parse)
}

import type { UserContext } from '#shared/platform/identity/context.ts'
import { newestPage, type ListPage, type PageQuery } from '#shared/platform/table/pages.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { bookingPointerRows, bookingRows } from './rows.ts'
import type { Booking } from './schema.ts'

/** Lists the bookings of the user's agents, newest first. */
export async function listBookings(
  { table, owner }: Pick<UserContext, 'owner' | 'table'>,
  { limit, cursor }: PageQuery,
): Promise<ListPage<Booking>> {
  const beginsWith = bookingPointerRows.prefix()
  const store = userStore(table, owner)
  const { items, next } = await newestPage(store, { beginsWith, limit, cursor })
  const rows = await table.getMany(
    items.map((item) => bookingRows.key(bookingPointerRows.parse(item))),
  )
  return { items: rows.filter((row) => row !== undefined).map(bookingRows.parse), next }
}

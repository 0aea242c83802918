import { everyItem } from '#shared/platform/table/pages.ts'
import type { Item } from '#shared/platform/table/port.ts'
import type { UserStore } from '#shared/platform/table/user-store.ts'

/** Yields rows page by page, because an agent's whole memory may be large. */
export async function* rowsOf<T>(
  store: UserStore,
  beginsWith: string,
  read: (item: Item) => T,
): AsyncGenerator<T, void> {
  for await (const item of everyItem((from) => store.query({ beginsWith, ...from })))
    yield read(item)
}

import type { Item, Query } from '../../platform/table/port.ts'
import type { UserStore } from '../../platform/table/user-store.ts'

/** Rows page by page: all of an agent's memory at once would be large. */
export async function* rowsOf<T>(
  store: UserStore,
  beginsWith: string,
  read: (item: Item) => T,
): AsyncGenerator<T, void> {
  let from: Pick<Query, 'after'> = {}
  for (;;) {
    const { items, next } = await store.query({ beginsWith, ...from })
    yield* items.map(read)
    if (next === undefined) return
    from = { after: next }
  }
}

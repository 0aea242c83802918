import type { UserStore } from './user-store.ts'

/** The maximum number of writes of one transaction. */
const pageSize = 100

/**
 * Removes every row of a user whose sort key begins with a text, page by page.
 * @param deadline epoch milliseconds
 * @returns true if no such row is left; false if the deadline passed first
 */
export async function removeRows(
  store: UserStore,
  beginsWith: string,
  deadline: number,
): Promise<boolean> {
  for (;;) {
    const page = await store.query({ beginsWith, limit: pageSize })
    if (page.items.length > 0)
      await store.transact(page.items.map(({ sk }) => store.write.delete(sk)))
    if (page.items.length === 0 && page.next === undefined) return true
    if (Date.now() > deadline) return false
  }
}

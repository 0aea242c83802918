import type { Item, Page, Query } from './port.ts'

/** Where a page begins that follows another. */
export type From = Pick<Query, 'after'>

/**
 * Every item that a query finds, a page at a time: a page ends at 1 MB, which long rows reach before their number does.
 * @param query `(from) => store.query({ beginsWith, ...from })`
 */
export async function* everyItem(query: (from: From) => Promise<Page>): AsyncGenerator<Item, void> {
  let from: From = {}
  for (;;) {
    const { items, next } = await query(from)
    yield* items
    if (next === undefined) return
    from = { after: next }
  }
}

/** The same at once, where they are few. */
export async function allItems(query: (from: From) => Promise<Page>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of everyItem(query)) items.push(item)
  return items
}

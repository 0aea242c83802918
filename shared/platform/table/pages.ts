import { isUtf8 } from 'node:buffer'
import { PlatformError } from '../errors.ts'
import type { Item, Page, Query } from './port.ts'
import { type UserStore, userPartition } from './user-store.ts'

/** The position where the next page begins. */
export type From = Pick<Query, 'after'>

/**
 * Yields every item of a query, page by page. A page ends at 1 MB, which can be before its limit.
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

/** Returns every item of a query, for short lists. */
export async function allItems(query: (from: From) => Promise<Page>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of everyItem(query)) items.push(item)
  return items
}

/** A page of a list. `next` is the cursor of the next page, an opaque text; undefined at the end of the list. */
export interface ListPage<T> {
  items: T[]
  next: string | undefined
}

/** A request for a page. `limit` is the maximum number of items; `cursor` is `next` of the previous page. */
export interface PageQuery {
  limit: number
  cursor?: string | undefined
}

/** The partition of a list: a user's, or another one. */
type Partition = { userId: string } | { pk: string }

/**
 * Returns a page of a user's rows whose sort keys begin with the same text, newest first if the keys increase with
 * time. A cursor contains only the part of a sort key after `beginsWith`, so no cursor can give access to other rows or
 * other users.
 */
export async function newestPage(
  store: Pick<UserStore, 'query'> & Partition,
  { beginsWith, limit, cursor }: PageQuery & { beginsWith: string },
): Promise<ListPage<Item>> {
  if (limit === 0) return { items: [], next: undefined }
  let from = fromCursor(store, beginsWith, cursor)
  const items: Item[] = []
  // Reads one row more than the caller requests, to find out whether another page follows.
  while (items.length <= limit) {
    const page = await store.query({
      beginsWith,
      descending: true,
      limit: limit + 1 - items.length,
      ...from,
    })
    items.push(...page.items)
    if (page.next === undefined) break
    from = { after: page.next }
  }
  const shown = items.slice(0, limit)
  const last = items.length > limit ? shown.at(-1) : undefined
  return { items: shown, next: last && cursorAt(beginsWith, last) }
}

/** Returns the cursor of the page that begins after a row. */
export function cursorAt(beginsWith: string, { sk }: Pick<Item, 'sk'>): string {
  return Buffer.from(sk.slice(beginsWith.length)).toString('base64url')
}

/** DynamoDB's limit of a sort key, in bytes. */
const longestSortKey = 1024

/** Returns the position of a cursor. @throws PlatformError 400 for an invalid cursor */
export function fromCursor(
  partition: Partition,
  beginsWith: string,
  cursor: string | undefined,
): From {
  if (cursor === undefined) return {}
  const rest = Buffer.from(cursor, 'base64url')
  const sk = beginsWith + rest.toString('utf8')
  if (!isUtf8(rest) || Buffer.byteLength(sk) > longestSortKey) throw unknownCursor()
  const pk = 'pk' in partition ? partition.pk : userPartition(partition.userId)
  return { after: { pk, sk } }
}

/** Returns the error 400 for a cursor that no page returned. */
export function unknownCursor(): PlatformError {
  return new PlatformError('bad-request', 'cursor must be the x-next-cursor of the previous page')
}

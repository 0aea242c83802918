import { isUtf8 } from 'node:buffer'
import { PlatformError } from '../errors.ts'
import type { Item, Page, Query } from './port.ts'
import { type UserStore, userPartition } from './user-store.ts'

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

/** A page of a list. `next` is the cursor of the page that follows, an opaque text; undefined at the end of the list. */
export interface ListPage<T> {
  items: T[]
  next: string | undefined
}

/** What a caller asks for a page by. `limit` is the most items of the page; `cursor` is `next` of the page before. */
export interface PageQuery {
  limit: number
  cursor?: string | undefined
}

/**
 * A page of a user's rows whose sort keys begin alike: newest first, where the keys grow with time. A cursor holds only
 * what follows `beginsWith` in a sort key, so no cursor can lead to rows that begin otherwise, or to another user's.
 */
export async function newestPage(
  store: Pick<UserStore, 'query' | 'userId'>,
  { beginsWith, limit, cursor }: PageQuery & { beginsWith: string },
): Promise<ListPage<Item>> {
  if (limit === 0) return { items: [], next: undefined }
  let from = fromCursor(store, beginsWith, cursor)
  const items: Item[] = []
  // One more row than the caller asks for tells whether a page follows.
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

/** The cursor of the page that begins behind a row. */
export function cursorAt(beginsWith: string, { sk }: Pick<Item, 'sk'>): string {
  return Buffer.from(sk.slice(beginsWith.length)).toString('base64url')
}

/** DynamoDB takes no longer sort key, in bytes. */
const longestSortKey = 1024

/** Where the page begins that a cursor names. @throws PlatformError 400 for a cursor that no page has named */
export function fromCursor(
  { userId }: Pick<UserStore, 'userId'>,
  beginsWith: string,
  cursor: string | undefined,
): From {
  if (cursor === undefined) return {}
  const rest = Buffer.from(cursor, 'base64url')
  const sk = beginsWith + rest.toString('utf8')
  if (!isUtf8(rest) || Buffer.byteLength(sk) > longestSortKey) throw unknownCursor()
  return { after: { pk: userPartition(userId), sk } }
}

/** For a cursor that no page has named. */
export function unknownCursor(): PlatformError {
  return new PlatformError('bad-request', 'cursor must be the x-next-cursor of the page before')
}

/** The data of a response together with the response itself. */
export interface WithResponse<T> {
  data: T
  /** The raw response. Its body has already been read. */
  response: Response
  requestId: string | undefined
}

/** A promise of the response's data. `withResponse()` also gives the status and headers. */
export type Answer<T> = Promise<T> & { withResponse(): Promise<WithResponse<T>> }

/** Returns a promise of the data that can also resolve to the data with its response. */
export function answerOf<T>(whole: Promise<WithResponse<T>>): Answer<T> {
  const data = whole.then((answer) => answer.data)
  return Object.assign(data, {
    withResponse() {
      // The caller handles the failure through `whole`; without this, `data` would be an unhandled rejection.
      data.catch(() => undefined)
      return whole
    },
  })
}

/** A paginated list. `await` returns the first page; `for await` iterates over the items of all pages. */
export type Pages<Page, T> = Answer<Page> & AsyncIterable<T>

/** The response header that carries the cursor of the next page. */
const nextCursor = 'x-next-cursor'

/**
 * Iterates over a paginated list. Continues with the `nextCursor` of each page, or by offset if the pages have none.
 * @param read requests one page
 * @param items the field of a page that holds its items
 */
export function pagesOf<
  Query extends { offset?: unknown; cursor?: unknown },
  Items extends string,
  Page extends Record<Items, readonly unknown[]> & { nextCursor?: string | null },
>(
  read: (query: Query) => Answer<Page>,
  query: Query,
  items: Items,
): Pages<Page, Page[Items][number]> {
  const first = read(query)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let offset = Number(query.offset ?? 0)
      let at: { offset: number } | { cursor: string }
      for (let page = await first; ; page = await read({ ...query, ...at })) {
        const { length } = page[items]
        yield* page[items]
        if (page.nextCursor === null) return
        offset += length
        at = page.nextCursor === undefined ? { offset } : { cursor: page.nextCursor }
        if ('cursor' in at) continue
        // Not every list has a `total`. If it does, the request for an empty last page is not needed.
        if (length === 0 || ('total' in page && offset >= Number(page.total))) return
      }
    },
  })
}

/** Iterates over a list whose responses carry the cursor of the next page in a header. @param read requests one page */
export function listOf<Query extends { cursor?: unknown }, T>(
  read: (query: Query) => Answer<readonly T[]>,
  query: Query,
): Pages<readonly T[], T> {
  const first = read(query)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = first; ;) {
        const { data, response } = await page.withResponse()
        yield* data
        const cursor = response.headers.get(nextCursor)
        if (cursor === null) return
        page = read({ ...query, cursor })
      }
    },
  })
}

/** An answer with what came beside it. */
export interface WithResponse<T> {
  data: T
  /** Its body has been read. */
  response: Response
  requestId: string | undefined
}

/** A promise of an answer's data that can tell of the response as well. */
export type Answer<T> = Promise<T> & { withResponse(): Promise<WithResponse<T>> }

export function answerOf<T>(whole: Promise<WithResponse<T>>): Answer<T> {
  const data = whole.then((answer) => answer.data)
  return Object.assign(data, {
    withResponse() {
      // The failure is told by the promise that is asked for; this one has no reader.
      data.catch(() => undefined)
      return whole
    },
  })
}

/** A list in pages: awaited it is the first one, in `for await` all that is in it and the next ones. */
export type Pages<Page, T> = Answer<Page> & AsyncIterable<T>

/** The header in which an answer names the cursor of the page that follows. */
const nextCursor = 'x-next-cursor'

/**
 * A list whose pages say by `nextCursor` in their body where the next one begins; where they do not, it begins at the
 * offset of what came so far.
 * @param read asks for a page by its query
 * @param items the field of a page that has what is in it
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
        // Not every list says how long it is; one that does spares a request for what is behind its end.
        if (length === 0 || ('total' in page && offset >= Number(page.total))) return
      }
    },
  })
}

/** A list whose answers name in a header the cursor of the page that follows. @param read asks for a page by its query */
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

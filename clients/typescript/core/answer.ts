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

/**
 * @param read asks for a page by its query
 * @param items the field of a page that has what is in it
 */
export function pagesOf<
  Query extends { offset?: unknown },
  Items extends string,
  Page extends Record<Items, readonly unknown[]>,
>(
  read: (query: Query) => Answer<Page>,
  query: Query,
  items: Items,
): Pages<Page, Page[Items][number]> {
  const first = read(query)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      let offset = Number(query.offset ?? 0)
      for (let page = await first; ; page = await read({ ...query, offset })) {
        const { length } = page[items]
        yield* page[items]
        offset += length
        // Not every list says how long it is; one that does spares a request for what is behind its end.
        if (length === 0 || ('total' in page && offset >= Number(page.total))) return
      }
    },
  })
}

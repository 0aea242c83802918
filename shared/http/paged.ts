/** The header with the cursor of the next page; absent on the last page. */
export const nextCursor = 'x-next-cursor'

/** A page of a list, as returned by the handler of a route with `pages`. */
export class Paged<Body> {
  readonly body: Body
  /** The cursor of the next page; undefined at the end of the list. */
  readonly next: string | undefined

  constructor(body: Body, next: string | undefined) {
    this.body = body
    this.next = next
  }
}

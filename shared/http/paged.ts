/** The header by which an answer says that its list goes on: the `cursor` of the next request. */
export const nextCursor = 'x-next-cursor'

/** A page of a list, as the handler of a route with `pages` answers it. */
export class Paged<Body> {
  readonly body: Body
  /** The cursor of the page that follows; undefined at the end of the list. */
  readonly next: string | undefined

  constructor(body: Body, next: string | undefined) {
    this.body = body
    this.next = next
  }
}

import { listOf, pagesOf } from './answer.ts'
import { type Client, keyed } from './client.ts'
import type { RequestOptions } from './options.ts'

interface Shape {
  /** The input of the operation in addition to its path parameters. */
  takes?: 'query' | 'body'
  /** The media type of the body, if it is not JSON. */
  type?: string | undefined
  /** The request carries an idempotency key. */
  once?: true
  /** The response field to return. */
  open?: PropertyKey | undefined
  /** Returns the response with its body unread. */
  unread?: true
  /** The field of a page that holds its items. */
  items?: PropertyKey
  /** The response is one page; a header carries the cursor of the next page. */
  goesOn?: true
}

/** Builds a method for an operation. It takes the path parameters in order, then query or body, then options. */
export function methodOf<Arguments extends unknown[], Answered>(
  client: Client,
  operation: string,
  { takes, type, once, items, goesOn, ...reading }: Shape,
): (...args: Arguments) => Answered {
  const names = operation.match(/\w+(?=\})/g) ?? []
  return (...args) => {
    const params = Object.fromEntries(names.map((name, i) => [name, args[i]]))
    const rest: unknown[] = args.slice(names.length)
    const input = takes && rest.shift()
    const options = rest[0] as RequestOptions | undefined
    const send = (value: unknown) =>
      client.request(
        operation,
        { params, ...(takes && { [takes]: value }), type },
        once ? keyed(options) : options,
        reading,
      )
    if (items) return pagesOf(send as never, input ?? {}, items as never) as Answered
    return (goesOn ? listOf(send as never, input ?? {}) : send(input)) as Answered
  }
}

import { listOf, pagesOf } from './answer.ts'
import { type Client, keyed } from './client.ts'
import type { RequestOptions } from './options.ts'

interface Shape {
  /** What it takes behind what stands in the path. */
  takes?: 'query' | 'body'
  /** The body's media type where it is no JSON. */
  type?: string | undefined
  /** The request has a key, so that it is done once. */
  once?: true
  /** The field of the answer that is its data. */
  open?: PropertyKey | undefined
  /** The answer is the response, its body not read yet. */
  unread?: true
  /** The field that has what is in a page. */
  items?: PropertyKey
  /** The answer is a page, whose header names the cursor of the next one. */
  goesOn?: true
}

/** A method for an operation. It takes what stands in the path, in order, then query or body, then options. */
export function methodOf<Arguments extends unknown[], Answered>(
  client: Client,
  operation: string,
  { takes, type, once, items, goesOn, ...reading }: Shape,
): (...args: Arguments) => Answered {
  const names = operation.match(/\w+(?=\})/g) ?? []
  return (...args) => {
    const params = Object.fromEntries(names.map((name, i) => [name, args[i]]))
    const rest: unknown[] = args.slice(names.length)
    const given = takes && rest.shift()
    const options = rest[0] as RequestOptions | undefined
    const send = (taken: unknown) =>
      client.request(
        operation,
        { params, ...(takes && { [takes]: taken }), type },
        once ? keyed(options) : options,
        reading,
      )
    if (items) return pagesOf(send as never, given ?? {}, items as never) as Answered
    return (goesOn ? listOf(send as never, given ?? {}) : send(given)) as Answered
  }
}

import type { Answer, Pages } from '../core/answer.ts'
import type { Client } from '../core/client.ts'
import { methodOf } from '../core/method.ts'
import type {
  AnswerOf,
  Arguments,
  BodyOperation,
  FieldOf,
  FileOperation,
  IdempotentOperation,
  Opened,
  PlainOperation,
  QueryOperation,
  TypeOf,
} from '../core/operation.ts'

/**
 * A group of operations. A method that does nothing but send one is made here by its name, and takes what stands in its
 * path, then its query or body, then options. One that does more is written out.
 */
export abstract class Resource {
  protected readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  /** @param open the field of the answer that is its data; the whole answer without one */
  protected op<
    N extends Exclude<PlainOperation, IdempotentOperation>,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { open })
  }

  protected opWithQuery<
    N extends Exclude<QueryOperation, IdempotentOperation>,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { takes: 'query', open })
  }

  /** @param type the body's media type where it is no JSON */
  protected opWithBody<
    N extends Exclude<BodyOperation, IdempotentOperation>,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K, ...[type]: TypeOf<N>): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { takes: 'body', type, open })
  }

  /** Sends it under a key: the platform does it once, however often it comes. */
  protected once<N extends PlainOperation & IdempotentOperation, K extends FieldOf<N> = undefined>(
    operation: N,
    open?: K,
  ): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { once: true, open })
  }

  /** @param type the body's media type where it is no JSON */
  protected onceWithBody<
    N extends BodyOperation & IdempotentOperation,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K, ...[type]: TypeOf<N>): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { takes: 'body', type, once: true, open })
  }

  /** Awaited it answers the first page; `for await` goes through all. @param items the field that has what is in a page */
  protected pages<N extends QueryOperation, K extends keyof AnswerOf<N>>(
    operation: N,
    items: K,
  ): (
    ...args: Arguments<N>
  ) => Pages<AnswerOf<N>, AnswerOf<N>[K] extends readonly (infer T)[] ? T : never> {
    return methodOf(this.client, operation, { takes: 'query', items })
  }

  /**
   * A list in pages: awaited it answers the items of the first page; `for await` goes through those of all.
   * @param open the field of an answer that has the items
   */
  protected listOf<N extends QueryOperation, K extends keyof AnswerOf<N>>(
    operation: N,
    open: K,
  ): (
    ...args: Arguments<N>
  ) => Pages<AnswerOf<N>[K], AnswerOf<N>[K] extends readonly (infer T)[] ? T : never> {
    return methodOf(this.client, operation, { takes: 'query', open, goesOn: true })
  }

  /** Answers the response to a file's request, whose body is its reader's to read. */
  protected download<N extends FileOperation & PlainOperation>(
    operation: N,
  ): (...args: Arguments<N>) => Answer<Response> {
    return methodOf(this.client, operation, { unread: true })
  }
}

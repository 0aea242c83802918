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
 * A group of operations. The helpers below build a method that sends one operation: it takes the path parameters in order,
 * then query or body, then options. Methods of another form are written by hand.
 */
export abstract class Resource {
  protected readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  /** @param open the response field to return; without it, returns the whole body */
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

  /** @param type the media type of the body, if it is not JSON */
  protected opWithBody<
    N extends Exclude<BodyOperation, IdempotentOperation>,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K, ...[type]: TypeOf<N>): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { takes: 'body', type, open })
  }

  /** Sends the operation with an idempotency key, so that the platform executes it once. */
  protected once<N extends PlainOperation & IdempotentOperation, K extends FieldOf<N> = undefined>(
    operation: N,
    open?: K,
  ): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { once: true, open })
  }

  /** @param type the media type of the body, if it is not JSON */
  protected onceWithBody<
    N extends BodyOperation & IdempotentOperation,
    K extends FieldOf<N> = undefined,
  >(operation: N, open?: K, ...[type]: TypeOf<N>): (...args: Arguments<N>) => Answer<Opened<N, K>> {
    return methodOf(this.client, operation, { takes: 'body', type, once: true, open })
  }

  /** Awaited, returns the first page; `for await` iterates over all pages. @param items the field of a page that holds its items */
  protected pages<N extends QueryOperation, K extends keyof AnswerOf<N>>(
    operation: N,
    items: K,
  ): (
    ...args: Arguments<N>
  ) => Pages<AnswerOf<N>, AnswerOf<N>[K] extends readonly (infer T)[] ? T : never> {
    return methodOf(this.client, operation, { takes: 'query', items })
  }

  /**
   * A paginated list: awaited, returns the items of the first page; `for await` iterates over the items of all pages.
   * @param open the response field that holds the items
   */
  protected listOf<N extends QueryOperation, K extends keyof AnswerOf<N>>(
    operation: N,
    open: K,
  ): (
    ...args: Arguments<N>
  ) => Pages<AnswerOf<N>[K], AnswerOf<N>[K] extends readonly (infer T)[] ? T : never> {
    return methodOf(this.client, operation, { takes: 'query', open, goesOn: true })
  }

  /** Returns the response of a file download. The caller reads its body. */
  protected download<N extends FileOperation & PlainOperation>(
    operation: N,
  ): (...args: Arguments<N>) => Answer<Response> {
    return methodOf(this.client, operation, { unread: true })
  }
}

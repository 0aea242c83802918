/**
 * The table, with DynamoDB's conditions and guarantees, but without its wire types. Expressions are DynamoDB's; `#name`
 * refers to the attribute `name` and `:value` to `values.value`.
 */

export interface Key {
  pk: string
  sk: string
}

export type Item = Key & Record<string, unknown>

export interface Condition {
  /** A DynamoDB condition expression, such as `attribute_not_exists(pk)` or `#generation = :generation`. */
  if?: string
  values?: Record<string, unknown>
}

export interface Update extends Condition {
  set?: Record<string, unknown>
  /** Numbers to add; an absent attribute counts as zero. */
  add?: Record<string, number>
  remove?: readonly string[]
  /**
   * Additional SET actions as a DynamoDB expression, for changes that `set` cannot express: `#a = list_append(#a, :x)`.
   */
  expression?: string
}

export interface Query {
  index?: 'gsi1'
  pk: string
  /** The beginning of the sort key. */
  beginsWith?: string
  /** The sort key's bounds, both included. */
  between?: readonly [string, string]
  after?: Key & Record<string, unknown>
  limit?: number
  /** True for descending order, which is newest first if sort keys increase with time. */
  descending?: boolean
  /** A filter expression, which reduces the transferred bytes, but not the read capacity. */
  filter?: string
  values?: Record<string, unknown>
  consistent?: boolean
  /**
   * The attributes to read, `a.b` for a nested one. Default: all. It reduces the transferred bytes and the time, but
   * not the read capacity.
   */
  select?: readonly string[]
}

export interface Page {
  items: Item[]
  /** The position of the next page; absent on the last page. */
  next?: Key & Record<string, unknown>
}

export type Write =
  | ({ put: Item } & Condition)
  | ({ update: Key } & Update)
  | ({ delete: Key } & Condition)
  | ({ check: Key; if: string } & Condition)

export interface Table {
  /** Returns the item, or undefined if it does not exist or has expired. Strongly consistent by default. */
  get(key: Key, options?: { consistent?: boolean }): Promise<Item | undefined>
  /** Returns any number of items, strongly consistent, in the order of the keys; one request reads a hundred. */
  getMany(keys: readonly Key[]): Promise<(Item | undefined)[]>
  /** @throws ConditionFailed */
  put(item: Item, condition?: Condition): Promise<void>
  /** Returns the whole item after the update. @throws ConditionFailed */
  update(key: Key, update: Update): Promise<Item>
  /** Returns the deleted item. @throws ConditionFailed */
  delete(key: Key, condition?: Condition): Promise<Item | undefined>
  query(query: Query): Promise<Page>
  /**
   * Writes up to 100 items, all or none. With `token`, a repeat within ten minutes does nothing. @throws
   * TransactionFailed
   */
  transact(writes: readonly Write[], token?: string): Promise<void>
}

/**
 * A row by its key, with the table that reads and writes it. For `row` of a user's store, the table is limited to that
 * user.
 */
export interface Row {
  key: Key
  table: Pick<Table, 'get' | 'put' | 'update' | 'delete' | 'transact'>
}

/** A condition failed; `item` is the current item, if it exists. */
export class ConditionFailed extends Error {
  readonly item: Item | undefined

  constructor(item: Item | undefined, cause: unknown) {
    super('the condition failed', { cause })
    this.name = 'ConditionFailed'
    this.item = item
  }
}

/** A transaction was cancelled; `reasons[i]` is the reason for write i, undefined if that write did not fail. */
export class TransactionFailed extends Error {
  readonly reasons: readonly ({ code: string; item: Item | undefined } | undefined)[]

  constructor(reasons: TransactionFailed['reasons'], cause: unknown) {
    super(`the transaction was cancelled: ${reasons.map((r) => r?.code ?? 'None').join(', ')}`, {
      cause,
    })
    this.name = 'TransactionFailed'
    this.reasons = reasons
  }

  /** Returns whether the condition of write `index` failed. */
  refused(index: number): boolean {
    return this.reasons[index]?.code === 'ConditionalCheckFailed'
  }
}

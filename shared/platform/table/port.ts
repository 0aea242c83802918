/**
 * The one table, as the domain sees it: DynamoDB's own conditions and guarantees, without its wire types.
 * Expressions are DynamoDB's; `#name` stands for the attribute `name` and `:value` for `values.value`.
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
  /** Numbers to add, counting from zero where the attribute is absent. */
  add?: Record<string, number>
  remove?: readonly string[]
  /** Further SET actions in DynamoDB's own words, for what `set` cannot say: `#a = list_append(#a, :x)`. */
  expression?: string
}

export interface Query {
  index?: 'gsi1'
  pk: string
  /** The sort key's beginning. */
  beginsWith?: string
  /** The sort key's bounds, both included. */
  between?: readonly [string, string]
  after?: Key & Record<string, unknown>
  limit?: number
  /** Newest first, where sort keys grow with time. */
  descending?: boolean
  /** A filter expression; it saves bytes, not reads. */
  filter?: string
  values?: Record<string, unknown>
  consistent?: boolean
  /** The attributes to read, `a.b` for one inside another; absent: all. It saves bytes and time, not reads. */
  select?: readonly string[]
}

export interface Page {
  items: Item[]
  /** Where the next page begins; absent on the last one. */
  next?: Key & Record<string, unknown>
}

export type Write =
  | ({ put: Item } & Condition)
  | ({ update: Key } & Update)
  | ({ delete: Key } & Condition)
  | ({ check: Key; if: string } & Condition)

export interface Table {
  /** The item, or undefined where there is none or its time to live is over. Strongly consistent unless asked otherwise. */
  get(key: Key, options?: { consistent?: boolean }): Promise<Item | undefined>
  /** Any number of items, strongly consistent, a hundred a request, in the order of the keys. */
  getMany(keys: readonly Key[]): Promise<(Item | undefined)[]>
  /** @throws ConditionFailed */
  put(item: Item, condition?: Condition): Promise<void>
  /** Answers the whole item as it is afterwards. @throws ConditionFailed */
  update(key: Key, update: Update): Promise<Item>
  /** Answers what was there. @throws ConditionFailed */
  delete(key: Key, condition?: Condition): Promise<Item | undefined>
  query(query: Query): Promise<Page>
  /** All or nothing, at most 100 writes; with `token` a repeat within ten minutes does nothing. @throws TransactionFailed */
  transact(writes: readonly Write[], token?: string): Promise<void>
}

/** A row by its key, and what reads and writes it: the table, or `row` of a user's store, which keeps to that user. */
export interface Row {
  key: Key
  table: Pick<Table, 'get' | 'put' | 'update' | 'delete' | 'transact'>
}

/** A condition did not hold; `item` is what was there instead, if anything. */
export class ConditionFailed extends Error {
  readonly item: Item | undefined

  constructor(item: Item | undefined, cause: unknown) {
    super('the condition did not hold', { cause })
    this.name = 'ConditionFailed'
    this.item = item
  }
}

/** A transaction was cancelled; `reasons[i]` tells what stopped write i, undefined where nothing did. */
export class TransactionFailed extends Error {
  readonly reasons: readonly ({ code: string; item: Item | undefined } | undefined)[]

  constructor(reasons: TransactionFailed['reasons'], cause: unknown) {
    super(`the transaction was cancelled: ${reasons.map((r) => r?.code ?? 'None').join(', ')}`, {
      cause,
    })
    this.name = 'TransactionFailed'
    this.reasons = reasons
  }

  /** Whether write `index` was refused by its own condition. */
  refused(index: number): boolean {
    return this.reasons[index]?.code === 'ConditionalCheckFailed'
  }
}

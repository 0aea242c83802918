import { mergeParts, type Parts, refusalError, type RefusalErrors, tryCommit } from './commit.ts'
import { absent } from './if-present.ts'
import type { Condition, Item, Key, Table } from './port.ts'

/** The row with the counter, and its limit. */
export interface Counter extends Condition {
  in: Key
  attribute: string
  limit: number
  /** Returns the error if the counter's row does not exist and `if` requires it. A counter without `if` needs none. */
  gone?: () => Error
}

export interface CountedInsert<P extends Parts> {
  put: Item
  count: Counter
  /** Additional writes in the same transaction. The names `row` and `counter` are not allowed. */
  also?: P
  limitReached: () => Error
  errors?: RefusalErrors<P>
}

/**
 * Creates a row and increments its counter in one transaction, so that concurrent creates cannot exceed the limit.
 * @param table a user's store if the row and its counter belong to that user
 * @returns the existing row with this key, if the create is a repeat; undefined if this call wrote the row
 * @throws the errors that `limitReached`, `gone` and `errors` return
 */
export async function insertCounted<const P extends Parts = Record<never, never>>(
  table: Pick<Table, 'transact'>,
  { put, count, also, limitReached, errors }: CountedInsert<P>,
): Promise<Item | undefined> {
  const { in: counter, attribute, limit, gone, if: condition, values } = count
  const below = `(attribute_not_exists(#${attribute}) OR #${attribute} < :limit)`
  const refusals = await tryCommit(
    table,
    mergeParts(
      {
        row: { put, ...absent() },
        counter: {
          update: counter,
          add: { [attribute]: 1 },
          if: condition === undefined ? below : `(${condition}) AND ${below}`,
          values: { ...values, limit },
        },
      },
      also,
    ),
  )
  if (refusals === undefined) return undefined
  if (refusals.row?.item !== undefined) return refusals.row.item
  const error = refusalError<P>(refusals as never, errors ?? {})
  if (refusals.counter === undefined) throw error
  throw gone !== undefined && refusals.counter.item === undefined ? gone() : limitReached()
}

import { tryCommit } from './commit.ts'
import type { Counter } from './insert-counted.ts'
import type { Condition, Key, Table, Write } from './port.ts'

/** The attribute that counts rows, and the row that contains it. */
export type CountOf = Pick<Counter, 'in' | 'attribute'>

/** Returns the write that decrements a counter, for a transaction. It is refused if the counter's row does not exist. */
export function decrement({ in: counter, attribute }: CountOf): Write {
  return { update: counter, add: { [attribute]: -1 }, if: 'attribute_exists(pk)' }
}

interface CountedDelete {
  delete: Key
  count: CountOf
  /** The condition of the delete. Default: the row exists. */
  only?: Condition & { if: string }
}

/**
 * Deletes a row that `insertCounted` wrote and decrements its counter in one transaction, so that concurrent deletes
 * decrement it once. If the counter's row does not exist, because its account was deleted, only the row is deleted.
 * @param table a user's store if the row and its counter belong to that user
 * @returns false if the row does not exist, or `only` refused it
 */
export async function deleteCounted(
  table: Pick<Table, 'transact'>,
  { delete: key, count, only = { if: 'attribute_exists(pk)' } }: CountedDelete,
): Promise<boolean> {
  const row = { delete: key, ...only }
  const refusals = await tryCommit(table, { row, count: decrement(count) })
  if (refusals === undefined) return true
  if (refusals.row !== undefined) return false
  return (await tryCommit(table, { row })) === undefined
}

import { mergeParts, type Parts, refusalError, type RefusalErrors, tryCommit } from './commit.ts'
import {
  type Condition,
  ConditionFailed,
  type Item,
  type Key,
  type Row,
  type Update,
  type Write,
} from './port.ts'
import { overtaken, retryOptimistically } from './retry-optimistically.ts'

/** A change of a row, on condition that the row has not changed since it was read. */
export type ItemChange<P extends Parts> = (
  | { update: Update & { if: string } }
  | { put: Record<string, unknown>; condition: Condition & { if: string } }
  | { delete: Condition & { if: string } }
) & {
  /** Additional writes in the same transaction. The name `row` is not allowed. */
  also?: P
}

/**
 * Changes a row by compare and set: reads the row, calls `decide` and writes the result. If another writer has changed
 * the row in between, it reads the row and calls `decide` again.
 * @param row `{ table, key }`, or a user's row: `userStore(table, userId).row(sk)`
 * @param decide returns the change for the row (undefined if the row does not exist); if it returns undefined, nothing
 * is changed
 * @param options.first the row, if it was already read
 * @param options.errors the error to throw for each refused part of `also`
 * @param options.again the names of parts of `also` that depend on data that `decide` has read: if they are refused,
 * `decide` is called again
 * @returns true if the row was written
 * @throws any error of `decide`; PlatformError 503 if every attempt conflicts with another writer
 */
export async function changeItem<const P extends Parts = Record<never, never>>(
  row: Row,
  decide: (
    current: Item | undefined,
  ) => Promise<ItemChange<P> | undefined> | ItemChange<P> | undefined,
  options: Options<P> = {},
): Promise<boolean> {
  const { errors = {}, again = [] } = options
  let current = 'first' in options ? options.first : await row.table.get(row.key)
  return retryOptimistically(async () => {
    const change = await decide(current)
    if (change === undefined) return false
    const outcome = await write(row, change, { errors, again })
    if (outcome === 'written') return true
    current = outcome.found
    return overtaken
  })
}

interface Options<P extends Parts> {
  first?: Item | undefined
  errors?: RefusalErrors<P>
  again?: readonly (keyof P & string)[]
}

type Outcome = 'written' | { found: Item | undefined }

async function write<P extends Parts>(
  row: Row,
  change: ItemChange<P>,
  { errors, again }: Required<Omit<Options<P>, 'first'>>,
): Promise<Outcome> {
  if (change.also === undefined) return writeAlone(row, change)
  const { table, key } = row
  const refusals = await tryCommit(table, mergeParts({ row: toWrite(key, change) }, change.also))
  if (refusals === undefined) return 'written'
  if (refusals.row !== undefined) return { found: refusals.row.item }
  const refused: readonly string[] = Object.keys(refusals)
  if (refused.every((name) => again.includes(name))) return { found: await table.get(key) }
  throw refusalError<P>(refusals as never, errors)
}

async function writeAlone({ table, key }: Row, change: ItemChange<Parts>): Promise<Outcome> {
  try {
    if ('update' in change) await table.update(key, change.update)
    else if ('put' in change) await table.put({ ...change.put, ...key }, change.condition)
    else await table.delete(key, change.delete)
    return 'written'
  } catch (error) {
    if (error instanceof ConditionFailed) return { found: error.item }
    throw error
  }
}

function toWrite(key: Key, change: ItemChange<Parts>): Write {
  if ('update' in change) return { update: key, ...change.update }
  if ('put' in change) return { put: { ...change.put, ...key }, ...change.condition }
  return { delete: key, ...change.delete }
}

import type { Entity } from './entity.ts'
import { ifPresent } from './if-present.ts'
import { ConditionFailed, type Table } from './port.ts'

type Updatable = Pick<Entity, 'key' | 'parse'>
type RowOf<E extends Updatable> = ReturnType<E['parse']>

/**
 * Sets fields of an existing row. Absent and undefined fields stay unchanged; without any field, the row is only read.
 * For a value that depends on the current row, use `changeItem`.
 * @param rows an entity without an `upgrade`, because an update leaves the version of the row unchanged
 * @returns the row after the update; undefined if it does not exist or has expired
 */
export async function updateFields<E extends Updatable>(
  table: Pick<Table, 'get' | 'update'>,
  rows: E,
  values: Parameters<E['key']>[0],
  fields: { readonly [Field in keyof RowOf<E>]?: RowOf<E>[Field] | undefined },
): Promise<RowOf<E> | undefined> {
  const key = rows.key(values)
  const set = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  try {
    const item =
      Object.keys(set).length === 0
        ? await table.get(key)
        : await table.update(key, { set, ...ifPresent() })
    return item && (rows.parse(item) as RowOf<E>)
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined
    throw error
  }
}

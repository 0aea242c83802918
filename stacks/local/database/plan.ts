import type { Catalog } from './catalog.ts'
import { satisfies } from './condition.ts'
import { validateItem, validateKey, validateUpdates } from './dynalite.ts'
import { conditionFailed, reject, validationError } from './errors.ts'
import { readItem, stored } from './items.ts'
import type { ItemChange, StoredItem } from './items.ts'
import { keyOf, MAX_HASH_BYTES, MAX_RANGE_BYTES } from './keys.ts'
import type { Key } from './keys.ts'
import type { Conditional, DeleteInput, PutInput, UpdateInput } from './requests.ts'
import { isDeeper, MAX_ITEM_BYTES, MAX_LEVELS, nameError } from './size.ts'
import type { Storage } from './storage.ts'
import { attributeNames, indexesOf } from './table.ts'
import type { Table } from './table.ts'
import { applyUpdate } from './update.ts'
import { typeOf } from './values.ts'
import type { Item } from './values.ts'

/** The context of an operation. */
export interface Session {
  storage: Storage
  catalog: Catalog
  /** Returns epoch milliseconds. */
  now: () => number
}

/** The location of one item. */
export interface ItemLocation {
  table: Table
  key: Key
}

/** Returns the place of a key, which must have exactly the table's key attributes. */
export function locate({ catalog }: Session, tableName: string, key: Item): ItemLocation {
  const table = catalog.get(tableName)
  reject(validateKey(key, table.description))
  return { table, key: bounded(keyOf(table.description.KeySchema, key)!) }
}

/** Returns the place of a new item, which must have the table's key attributes. */
export function locateNew({ catalog }: Session, tableName: string, item: Item): ItemLocation {
  const table = catalog.get(tableName)
  reject(validateItem(item, table.description))
  return { table, key: bounded(keyOf(table.description.KeySchema, item)!) }
}

function bounded(key: Key): Key {
  const [name, limit] =
    key.hash.length > MAX_HASH_BYTES ? ['hashkey', MAX_HASH_BYTES] : ['rangekey', MAX_RANGE_BYTES]
  if (key.hash.length <= MAX_HASH_BYTES && key.range.length <= MAX_RANGE_BYTES) return key
  throw validationError(
    'One or more parameter values were invalid: ' +
      `Size of ${name} has exceeded the maximum size limit of ${limit} bytes`,
  )
}

/**
 * Plans a single write: reads the item, checks the condition and returns the change without making it, so that a
 * transaction can plan all of its writes first.
 * @throws ResourceNotFoundException, ValidationException, ConditionalCheckFailedException
 */
export function planPut(session: Session, input: PutInput): ItemChange {
  const place = locateNew(session, input.TableName, input.Item)
  const before = readChecked(session, place, input)
  return { ...place, before, after: admissible(place.table, input.Item, 'Item size has exceeded') }
}

export function planUpdate(session: Session, input: UpdateInput): ItemChange {
  const place = locate(session, input.TableName, input.Key)
  reject(validateUpdates(undefined, input._updates, place.table.description))
  const before = readChecked(session, place, input)
  const updated = applyUpdate(before?.item ?? input.Key, input._updates?.sections ?? [])
  const after = admissible(place.table, updated, 'Item size to update has exceeded')
  return { ...place, before, after }
}

export function planDelete(session: Session, input: DeleteInput): ItemChange {
  const place = locate(session, input.TableName, input.Key)
  return { ...place, before: readChecked(session, place, input), after: undefined }
}

/** Plans a condition check, which leaves the item unchanged. */
export function planCheck(session: Session, input: DeleteInput): ItemChange {
  const change = planDelete(session, input)
  return { ...change, after: change.before }
}

function readChecked(
  { storage }: Session,
  { table, key }: ItemLocation,
  condition: Conditional,
): StoredItem | undefined {
  const before = readItem(storage, table, key)
  if (!condition._condition || satisfies(before?.item ?? {}, condition._condition.expression)) {
    return before
  }
  const shown = condition.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
  throw conditionFailed(shown ? before?.item : undefined)
}

function admissible(table: Table, item: Item, tooLarge: string): StoredItem {
  const types = new Map(
    table.description.AttributeDefinitions.map((it) => [it.AttributeName, it.AttributeType]),
  )
  for (const { IndexName, KeySchema } of indexesOf(table)) {
    for (const name of attributeNames(KeySchema)) {
      const value = item[name]
      if (value) checkIndexKey(value, types.get(name), name, IndexName)
    }
    const key = keyOf(KeySchema, item)
    if (key) bounded(key)
  }
  if (Object.values(item).some((value) => isDeeper(value, MAX_LEVELS))) {
    throw validationError('Nesting Levels have exceeded supported limits')
  }
  const named = nameError(item)
  if (named !== undefined) throw validationError(`1 validation error detected: ${named}`)
  const result = stored(item)
  if (result.size > MAX_ITEM_BYTES) throw validationError(`${tooLarge} the maximum allowed size`)
  return result
}

function checkIndexKey(
  value: Item[string],
  type: string | undefined,
  name: string,
  index: string,
): void {
  if (typeOf(value) !== type) {
    throw validationError(
      'One or more parameter values were invalid: Type mismatch for Index Key ' +
        `${name} Expected: ${type} Actual: ${typeOf(value)} IndexName: ${index}`,
    )
  }
  if (Object.values(value)[0] === '') {
    const kind = type === 'S' ? 'string' : 'binary'
    throw validationError(
      'One or more parameter values are not valid. A value specified for a secondary index key ' +
        `is not supported. The AttributeValue for a key attribute cannot contain an empty ${kind}` +
        ` value. IndexName: ${index}, IndexKey: ${name}`,
    )
  }
}

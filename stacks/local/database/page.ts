import { consumed, project, readUnits } from './capacity.ts'
import { satisfies } from './condition.ts'
import { validateKeyPaths } from './dynalite.ts'
import { reject, validationError } from './errors.ts'
import { keyOf, keyValueError, MAX_HASH_BYTES, MAX_RANGE_BYTES } from './keys.ts'
import type { Key } from './keys.ts'
import type { Session } from './plan.ts'
import { projected } from './read.ts'
import type { PageInput } from './requests.ts'
import { readRows } from './rows.ts'
import type { Span } from './rows.ts'
import { itemSize } from './size.ts'
import { attributeNames, indexesOf } from './table.ts'
import type { IndexDescription, Table } from './table.ts'
import type { Item } from './values.ts'

/** A page ends with the item that reaches this size, before filtering. */
const MAX_PAGE_BYTES = 1024 * 1024

export interface Source {
  table: Table
  index: IndexDescription | undefined
}

/** Returns the table or index that a Query or Scan reads, after the checks that both share. */
export function sourceOf(session: Session, input: PageInput): Source {
  const table = session.catalog.get(input.TableName)
  const index = indexesOf(table).find((it) => it.IndexName === input.IndexName)
  if (input.IndexName !== undefined && !index) {
    throw validationError(`The table does not have the specified index: ${input.IndexName}`)
  }
  if (index && input.ConsistentRead) {
    throw validationError('Consistent reads are not supported on global secondary indexes')
  }
  if (index && index.Projection.ProjectionType !== 'ALL' && input.Select === 'ALL_ATTRIBUTES') {
    throw validationError(
      'One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported ' +
        `for global secondary index ${index.IndexName} because its projection type is not ALL`,
    )
  }
  reject(validateKeyPaths(input._projection?.nestedPaths, table.description))
  reject(validateKeyPaths(input._filter?.nestedPaths, table.description))
  return { table, index }
}

/** Parses ExclusiveStartKey. @throws ValidationException unless it has exactly the keys' types */
export function startOf({ table, index }: Source, start: Item | undefined): Span['after'] {
  if (!start) return undefined
  const invalid = validationError('The provided starting key is invalid')
  const names = keyNames({ table, index })
  const types = new Map(
    table.description.AttributeDefinitions.map((it) => [it.AttributeName, it.AttributeType]),
  )
  const typed = names.every((name) => start[name] && Object.hasOwn(start[name], types.get(name)!))
  if (!typed || Object.keys(start).length !== names.length) throw invalid
  for (const { KeySchema } of [table.description, ...(index ? [index] : [])])
    for (const { AttributeName: name, KeyType } of KeySchema) {
      const maxBytes = KeyType === 'HASH' ? MAX_HASH_BYTES : MAX_RANGE_BYTES
      const error = keyValueError(name, start[name]!, maxBytes)
      if (error !== undefined)
        throw validationError(`The provided starting key is invalid: ${error}`)
    }
  return placeOf({ table, index }, start)
}

function placeOf({ table, index }: Source, item: Item): { primary: Key; indexed: Key } {
  const primary = keyOf(table.description.KeySchema, item)!
  return { primary, indexed: index ? keyOf(index.KeySchema, item)! : primary }
}

function keyNames({ table, index }: Source): string[] {
  const own = attributeNames(table.description.KeySchema)
  return [...new Set([...own, ...(index ? attributeNames(index.KeySchema) : [])])]
}

/** Reads one page: up to Limit items or 1 MB, then filtered and projected. */
export function readPage(session: Session, input: PageInput, span: Span): object {
  const { table, index } = span
  const items: Item[] = []
  let scanned = 0
  let bytes = 0
  let last: Item | undefined
  for (const row of readRows(session.storage, span)) {
    const item = index ? project(table, index, row.item) : row.item
    scanned++
    bytes += item === row.item ? row.size : itemSize(item)
    if (!input._filter || satisfies(item, input._filter.expression)) items.push(item)
    if (scanned === input.Limit || bytes >= MAX_PAGE_BYTES) {
      last = item
      break
    }
  }
  const capacity = consumed(input, () => {
    const units = readUnits(bytes, input.ConsistentRead)
    const usage = { table: input.TableName, units }
    return [index ? { ...usage, units: 0, indexes: { [index.IndexName]: units } } : usage]
  })?.[0]
  return {
    ...(input.Select !== 'COUNT' && {
      Items: items.map((item) => projected(item, input._projection)),
    }),
    Count: items.length,
    ScannedCount: scanned,
    ...(last && { LastEvaluatedKey: pick(last, keyNames(span)) }),
    ...(capacity && { ConsumedCapacity: capacity }),
  }
}

function pick(item: Item, names: string[]): Item {
  return Object.fromEntries(names.map((name) => [name, item[name]!]))
}

/** Returns whether a value has the type of a key attribute. */
export function isKeyType(table: Table, name: string, value: Item[string]): boolean {
  const definition = table.description.AttributeDefinitions.find((it) => it.AttributeName === name)
  return definition !== undefined && Object.hasOwn(value, definition.AttributeType)
}

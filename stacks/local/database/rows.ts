import type { SQLInputValue } from 'node:sqlite'
import type { StoredItem } from './items.ts'
import type { Key } from './keys.ts'
import type { Storage } from './storage.ts'
import type { IndexDescription, Table } from './table.ts'
import type { Item } from './values.ts'

export interface Bound {
  operator: '=' | '<' | '<=' | '>' | '>='
  value: Buffer
}

/** The rows of a table or index to read, and the start position. */
export interface Span {
  table: Table
  index: IndexDescription | undefined
  /** One partition; undefined for all. */
  hash?: Buffer
  /** Conditions on the range key. */
  bounds?: Bound[]
  /** Starts after this place. */
  after?: { primary: Key; indexed: Key }
  descending?: boolean
  /** One of `total` disjoint parts. */
  segment?: { number: number; total: number }
}

/** Reads items in key order: by range key within a partition, and index entries with equal keys by primary key. */
export function* readRows(storage: Storage, span: Span): Generator<StoredItem> {
  const { sql, values } = statement(span)
  for (const row of storage.rows<{ size: number; data: string }>(sql, ...values)) {
    yield { item: JSON.parse(row.data) as Item, size: row.size }
  }
}

function statement(span: Span): { sql: string; values: SQLInputValue[] } {
  const { table, index, hash, bounds = [], after, descending, segment } = span
  const key = index ? 'e' : 'i'
  const values: SQLInputValue[] = [table.id]
  const clauses = [`${key}.tbl = ?`]
  const where = (clause: string, ...operands: SQLInputValue[]) => {
    clauses.push(clause)
    values.push(...operands)
  }
  if (index) where('e.idx = ?', index.IndexName)
  if (hash) where(`${key}.hash = ?`, hash)
  for (const { operator, value } of bounds) where(`${key}.range ${operator} ?`, value)

  // A fixed partition is not in ORDER BY, so that SQLite seeks to the place instead of skipping rows.
  const columns = [...(hash ? [] : [`${key}.hash`]), `${key}.range`]
  if (index) columns.push('e.item_hash', 'e.item_range')
  if (after) {
    const { primary, indexed } = after
    const place = [...(hash ? [] : [indexed.hash]), indexed.range]
    if (index) place.push(primary.hash, primary.range)
    const marks = place.map(() => '?').join()
    where(`(${columns.join()}) ${descending ? '<' : '>'} (${marks})`, ...place)
  }
  if (segment) where('i.id % ? = ?', segment.total, segment.number)

  const from = index
    ? `entries e CROSS JOIN items i
       ON i.tbl = e.tbl AND i.hash = e.item_hash AND i.range = e.item_range`
    : 'items i'
  const order = columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join()
  const sql = `SELECT i.size, i.data FROM ${from} WHERE ${clauses.join(' AND ')} ORDER BY ${order}`
  return { sql, values }
}

import { keyOf, sameKey } from './keys.ts'
import type { Key } from './keys.ts'
import { itemSize } from './size.ts'
import type { Storage } from './storage.ts'
import { indexesOf } from './table.ts'
import type { Table } from './table.ts'
import type { Item } from './values.ts'

export interface StoredItem {
  item: Item
  /** Bytes by DynamoDB's rules. */
  size: number
}

/** The change of one item. Both versions are optional. */
export interface ItemChange {
  table: Table
  key: Key
  before: StoredItem | undefined
  after: StoredItem | undefined
}

export function readItem(storage: Storage, table: Table, key: Key): StoredItem | undefined {
  const row = storage.first<{ size: number; data: string }>(
    'SELECT size, data FROM items WHERE tbl = ? AND hash = ? AND range = ?',
    table.id,
    key.hash,
    key.range,
  )
  return row && { item: JSON.parse(row.data) as Item, size: row.size }
}

/** Writes an item and its index entries. Must run inside a transaction. */
export function applyChange(storage: Storage, { table, key, before, after }: ItemChange): void {
  if (after) {
    storage.run(
      `INSERT INTO items (tbl, hash, range, size, expires, data) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET size = excluded.size, expires = excluded.expires,
         data = excluded.data`,
      table.id,
      key.hash,
      key.range,
      after.size,
      expiryOf(table, after.item),
      JSON.stringify(after.item),
    )
  } else if (before) {
    const sql = 'DELETE FROM items WHERE tbl = ? AND hash = ? AND range = ?'
    storage.run(sql, table.id, key.hash, key.range)
  }
  for (const index of indexesOf(table)) {
    const from = before && keyOf(index.KeySchema, before.item)
    const to = after && keyOf(index.KeySchema, after.item)
    if (sameKey(from, to)) continue
    const entry = (at: Key) =>
      [table.id, index.IndexName, at.hash, at.range, key.hash, key.range] as const
    if (from) {
      const sql = `DELETE FROM entries WHERE tbl = ? AND idx = ? AND hash = ? AND range = ?
        AND item_hash = ? AND item_range = ?`
      storage.run(sql, ...entry(from))
    }
    if (to) storage.run('INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)', ...entry(to))
  }
}

/** Returns the expiry time of an item in epoch seconds; null if its attribute is not a number. */
export function expiryOf(table: Table, item: Item): number | null {
  const value = table.timeToLive === undefined ? undefined : item[table.timeToLive]
  if (!value || !('N' in value)) return null
  const second = Math.floor(Number(value.N))
  return Number.isSafeInteger(second) ? second : null
}

/** Returns an item with its size, which is stored so that reads need not compute it. */
export function stored(item: Item): StoredItem {
  return { item, size: itemSize(item) }
}

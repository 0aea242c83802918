import { toLexiStr } from './dynalite.ts'
import type { AttributeValue, Item } from './values.ts'
import type { KeySchema } from './table.ts'

/** A primary or index key as bytes that SQLite compares as DynamoDB compares the values. */
export interface Key {
  hash: Buffer
  /** Empty where the schema has no range key; no valid key value is empty. */
  range: Buffer
}

/** Bytes whose memcmp order is the order of DynamoDB's S, N and B values of one type. */
export function sortable(value: AttributeValue): Buffer {
  if ('S' in value) return Buffer.from(value.S, 'utf8')
  if ('B' in value) return Buffer.from(value.B, 'base64')
  if ('N' in value) return Buffer.from(toLexiStr(value.N, 'N'), 'latin1')
  throw new TypeError('only strings, numbers and binaries have an order')
}

/** The key of an item, or undefined when it lacks a key attribute (so a sparse index skips it). */
export function keyOf(schema: KeySchema, item: Item): Key | undefined {
  const [hash, range] = schema.map(({ AttributeName }) => item[AttributeName])
  if (!hash || (schema.length > 1 && !range)) return undefined
  return { hash: sortable(hash), range: range ? sortable(range) : Buffer.alloc(0) }
}

export function sameKey(a: Key | undefined, b: Key | undefined): boolean {
  return a && b ? a.hash.equals(b.hash) && a.range.equals(b.range) : a === b
}

/** The first byte string after all that begin with `prefix`, or undefined if there is none. */
export function prefixEnd(prefix: Buffer): Buffer | undefined {
  const last = prefix.findLastIndex((byte) => byte < 0xff)
  if (last < 0) return undefined
  const end = Buffer.from(prefix.subarray(0, last + 1))
  end[last] = end[last]! + 1
  return end
}

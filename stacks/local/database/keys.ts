import { toLexiStr } from './dynalite.ts'
import type { KeySchema } from './table.ts'
import type { AttributeValue, Item } from './values.ts'

/** A primary or index key as bytes that SQLite orders as DynamoDB orders the values. */
export interface Key {
  hash: Buffer
  /** Empty if the schema has no range key. A key value is never empty. */
  range: Buffer
}

export const MAX_HASH_BYTES = 2048
export const MAX_RANGE_BYTES = 1024

/** Returns the error of a value that a query compares with a key attribute: no key is empty or exceeds these sizes. */
export function keyValueError(
  name: string,
  value: AttributeValue,
  maxBytes: number,
): string | undefined {
  const { length } = sortable(value)
  if (length === 0)
    return (
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot ' +
      `contain an empty string value. Key: ${name}`
    )
  if (length <= maxBytes) return undefined
  const size =
    maxBytes === MAX_HASH_BYTES
      ? `Size of hashkey has exceeded the maximum size limit of${maxBytes} bytes`
      : `Aggregated size of all range keys has exceeded the size limit of ${maxBytes} bytes`
  return `One or more parameter values were invalid: ${size}`
}

/** Returns bytes whose memcmp order is DynamoDB's order of S, N or B values. */
export function sortable(value: AttributeValue): Buffer {
  if ('S' in value) return Buffer.from(value.S, 'utf8')
  if ('B' in value) return Buffer.from(value.B, 'base64')
  if ('N' in value) return Buffer.from(toLexiStr(value.N, 'N'), 'latin1')
  throw new TypeError('only strings, numbers and binaries have an order')
}

/** Returns the key of an item; undefined if it lacks a key attribute, so that a sparse index skips it. */
export function keyOf(schema: KeySchema, item: Item): Key | undefined {
  const [hash, range] = schema.map(({ AttributeName }) => item[AttributeName])
  if (!hash || (schema.length > 1 && !range)) return undefined
  return { hash: sortable(hash), range: range ? sortable(range) : Buffer.alloc(0) }
}

export function sameKey(a: Key | undefined, b: Key | undefined): boolean {
  return a && b ? a.hash.equals(b.hash) && a.range.equals(b.range) : a === b
}

/** Returns the first byte string after all that begin with `prefix`; undefined if `prefix` has only bytes 0xff. */
export function prefixEnd(prefix: Buffer): Buffer | undefined {
  const last = prefix.findLastIndex((byte) => byte < 0xff)
  if (last < 0) return undefined
  const end = Buffer.from(prefix.subarray(0, last + 1))
  end[last] = end[last]! + 1
  return end
}

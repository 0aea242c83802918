import { membersOf } from './values.ts'
import type { AttributeValue, Item } from './values.ts'

/** The size limit of an item with names and values, in bytes. */
export const MAX_ITEM_BYTES = 400 * 1024

/** The maximum nesting depth of a value; a scalar has depth one. */
export const MAX_LEVELS = 32

/** The size limit of an attribute's name, at any depth, in bytes. */
const MAX_NAME_BYTES = 65_535

/** Returns the error of the attribute names of an item at any depth, if one is empty or too long. */
export function nameError(item: Item): string | undefined {
  for (const [name, value] of Object.entries(item)) {
    if (name === '') return 'Empty attribute name'
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      return `Attribute name is too large, must be less than ${MAX_NAME_BYTES + 1} bytes`
    const error = nameErrorIn(value)
    if (error !== undefined) return error
  }
  return undefined
}

function nameErrorIn(value: AttributeValue): string | undefined {
  if ('M' in value) return nameError(value.M)
  if (!('L' in value)) return undefined
  for (const inner of value.L) {
    const error = nameErrorIn(inner)
    if (error !== undefined) return error
  }
  return undefined
}

/** Returns whether a value is nested deeper than `levels`. Looks no deeper than that. */
export function isDeeper(value: AttributeValue, levels: number): boolean {
  if (levels === 0) return true
  if ('L' in value) return value.L.some((it) => isDeeper(it, levels - 1))
  return 'M' in value && Object.values(value.M).some((it) => isDeeper(it, levels - 1))
}

/**
 * Returns the size of an item in bytes by DynamoDB's published rules ("DynamoDB item sizes and formats"): names and strings
 * in UTF-8, numbers one byte per two digits plus one, containers three bytes plus one per element.
 */
export function itemSize(item: Item): number {
  let size = 0
  for (const [name, value] of Object.entries(item)) {
    size += Buffer.byteLength(name) + valueSize(value)
  }
  return size
}

function valueSize(value: AttributeValue): number {
  if ('S' in value) return Buffer.byteLength(value.S)
  if ('N' in value) return numberSize(value.N)
  if ('B' in value) return Buffer.byteLength(value.B, 'base64')
  if ('SS' in value) return sum(value.SS, (it) => Buffer.byteLength(it))
  if ('NS' in value) return sum(value.NS, numberSize)
  if ('L' in value) return 3 + sum(value.L, (it) => 1 + valueSize(it))
  if ('M' in value) return 3 + Object.keys(value.M).length + itemSize(value.M)
  return sum(membersOf(value) ?? ['AA=='], (it) => Buffer.byteLength(it, 'base64'))
}

function numberSize(number: string): number {
  const digits = number
    .replace(/^-/, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '').length
  return Math.ceil(digits / 2) + 1 + (number.startsWith('-') ? 1 : 0)
}

function sum<T>(values: readonly T[], size: (value: T) => number): number {
  return values.reduce((total, value) => total + size(value), 0)
}

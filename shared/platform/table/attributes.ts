import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { convertToAttr } from '@aws-sdk/util-dynamodb'

export type Attributes = Record<string, AttributeValue>

const options = { removeUndefinedValues: true }

/**
 * Converts values to DynamoDB's types in its JSON form, bytes in base64. The common kinds of values are converted here,
 * because the SDK compares each value with eight kinds before it recognizes a string; the SDK converts all others.
 * @throws Error for a value without a type in DynamoDB
 */
export function toAttributes(values: object): Attributes {
  const attributes: Attributes = {}
  for (const name in values) {
    const value: unknown = (values as Record<string, unknown>)[name]
    if (value !== undefined && typeof value !== 'function') attributes[name] = attributeOf(value)
  }
  return attributes
}

function attributeOf(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
    return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (Array.isArray(value)) return { L: value.filter(isKept).map(attributeOf) }
  if (isPlain(value)) return { M: toAttributes(value) }
  if (value instanceof Map) return { M: toAttributes(Object.fromEntries(value)) }
  const { B: bytes, BS: several, ...other } = convertToAttr(value as never, options)
  if (bytes !== undefined) return { B: asText(bytes) as never }
  if (several !== undefined) return { BS: several.map(asText) as never }
  return other as AttributeValue
}

function isKept(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function'
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function asText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

import type * as z from 'zod'

type Schema = z.core.JSONSchema.BaseSchema

/** Two schemas, and the definitions that their references name. */
interface Sides {
  reader: unknown
  writer: unknown
  defined: { reader: Schema; writer: Schema }
  /** Pairs of recursive schemas that are being compared. */
  within: readonly string[]
}

/**
 * Returns the reasons why a reader would refuse a value that a writer may write, by their JSON schemas;
 * empty if it accepts all values. Refinements and transformations are not in a JSON schema, so they are not compared.
 */
export function refusals(reader: unknown, writer: unknown, path: string): string[] {
  if (!isSchema(reader) || !isSchema(writer)) return []
  return compare({ reader, writer, defined: { reader, writer }, within: [] }, path)
}

function compare(sides: Sides, path: string): string[] {
  const { defined, within } = sides
  const pair = JSON.stringify([sides.reader, sides.writer])
  if (within.includes(pair)) return []
  const reader = resolved(sides.reader, defined.reader)
  const writer = resolved(sides.writer, defined.writer)
  if (!isSchema(reader) || !isSchema(writer) || says(reader) === 0 || says(writer) === 0) return []
  const isReferred = reader !== sides.reader || writer !== sides.writer
  const next = { defined, within: isReferred ? [...within, pair] : within }
  const against = (one: { reader?: unknown; writer?: unknown }, at = path) =>
    compare({ reader, writer, ...next, ...one }, at)
  const written = writer.anyOf ?? writer.oneOf
  if (written !== undefined) return written.flatMap((one) => against({ writer: one }))
  const received = reader.anyOf ?? reader.oneOf
  if (received !== undefined) {
    if (received.some((one) => against({ reader: one }).length === 0)) return []
    return [`${path} may be what no alternative takes`]
  }
  if (reader.allOf !== undefined) return reader.allOf.flatMap((one) => against({ reader: one }))
  if (writer.allOf !== undefined)
    return writer.allOf.some((one) => against({ writer: one }).length === 0)
      ? []
      : [`${path} may have a value that is refused`]
  return [
    ...ofValues(reader, writer, path),
    ...ofBounds(reader, writer, path),
    ...ofFields(reader, writer, path, against),
    ...against({ reader: reader.items, writer: writer.items }, `${path}[]`),
  ]
}

/** Returns the schema that a reference names: zod refers to each schema with an id, also to a whole one. */
function resolved(schema: unknown, { $defs = {} }: Schema): unknown {
  if (!isSchema(schema) || schema.$ref === undefined) return schema
  const name = schema.$ref.replace('#/$defs/', '')
  const found = $defs[name]
  if (found === undefined) throw new Error(`${schema.$ref} names no definition`)
  return resolved(found, { $defs })
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

const says = (schema: Schema) =>
  Object.keys(schema).filter((key) => !['$schema', 'description', 'id', 'title'].includes(key))
    .length

function ofValues(reader: Schema, writer: Schema, path: string): string[] {
  const received = valuesOf(reader)
  const written = valuesOf(writer)
  if (received !== undefined) {
    const more = written?.filter((value) => !received.includes(value))
    if (more === undefined) return [`${path} may have any value, not only a known one`]
    return more.map((value) => `${path} may be ${JSON.stringify(value)}`)
  }
  const types = typesOf(reader)
  if (types.length === 0) return []
  return typesOf(writer)
    .filter((type) => !types.includes(type) && !(type === 'integer' && types.includes('number')))
    .map((type) => `${path} may be of type ${type}`)
}

/** `type` is one type, or a list of alternatives. */
function typesOf({ type }: Schema): string[] {
  const input: unknown = type
  if (input === undefined) return []
  return (Array.isArray(input) ? input : [input]).map(String)
}

const valuesOf = (schema: Schema): unknown[] | undefined =>
  'const' in schema ? [schema.const] : schema.enum

const greatest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
const least = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const

function ofBounds(reader: Schema, writer: Schema, path: string): string[] {
  if (valuesOf(writer) !== undefined) return []
  const narrower = [
    ...greatest.filter((key) => numberOf(reader, key, Infinity) < numberOf(writer, key, Infinity)),
    ...least.filter((key) => numberOf(reader, key, -Infinity) > numberOf(writer, key, -Infinity)),
    ...(['pattern', 'format'] as const).filter(
      (key) => reader[key] !== undefined && reader[key] !== writer[key],
    ),
  ]
  return narrower.map((key) => `${path} may be outside of ${key} ${String(reader[key])}`)
}

function numberOf(schema: Schema, key: keyof Schema, otherwise: number): number {
  const value: unknown = schema[key]
  return typeof value === 'number' ? value : otherwise
}

function ofFields(
  reader: Schema,
  writer: Schema,
  path: string,
  against: (one: { reader: unknown; writer: unknown }, at: string) => string[],
): string[] {
  const { properties: known = {}, required = [], additionalProperties: more } = reader
  const { properties: written = {}, required: always = [], additionalProperties: others } = writer
  return [
    ...required
      .filter((field) => !always.includes(field))
      .map((field) => `${path}.${field} may be missing`),
    ...Object.entries(written).flatMap(([field, schema]) => {
      if (field in known)
        return against({ reader: known[field], writer: schema }, `${path}.${field}`)
      if (more === false) return [`${path}.${field} is not known`]
      return against({ reader: more, writer: schema }, `${path}.${field}`)
    }),
    ...against({ reader: more, writer: others }, `${path}.*`),
  ]
}

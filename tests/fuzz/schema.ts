import fc from 'fast-check'
import { extremeDates, extremeNumbers, extremeTexts, extremeValues } from './extremes.ts'

/** The parts of JSON Schema that the OpenAPI documents use. */
export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
}

/** Generators of a property's values by its name, regardless of its schema, for example existing ids. */
export type Named = Record<string, fc.Arbitrary<unknown>>

/**
 * Generates values that a schema accepts, or nearly: patterns and refinements outside the schema may still refuse them.
 */
export function fitting(schema: JsonSchema, named: Named = {}): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((one) => fitting(one, named)))
  if (schema.allOf !== undefined)
    return fc
      .tuple(...schema.allOf.map((one) => fitting(one, named)))
      .map((parts) => Object.assign({}, ...(parts as object[])))
  const { type } = schema
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => fitting({ ...schema, type: one }, named)))
  switch (type) {
    case 'string':
      return text(schema)
    case 'integer':
      return rarely(
        fc.constantFrom(...extremesOf(schema).filter(Number.isInteger)),
        fc.integer({ min: bound(schema.minimum, -1000), max: bound(schema.maximum, 100_000) }),
      )
    case 'number':
      return rarely(
        fc.constantFrom(...extremesOf(schema)),
        fc.double({
          min: bound(schema.minimum, -1000),
          max: bound(schema.maximum, 100_000),
          noNaN: true,
        }),
      )
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(fitting(schema.items ?? {}, named), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      })
    case 'object':
      return object(schema, named)
    default:
      return rarely(extremeValues, fc.jsonValue({ maxDepth: 3 }))
  }
}

function rarely<T>(extreme: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 1, arbitrary: extreme }, { weight: 12, arbitrary: usual })
}

function extremesOf({ minimum = -Infinity, maximum = Infinity }: JsonSchema): number[] {
  return extremeNumbers(Math.max(minimum, -Number.MAX_VALUE), Math.min(maximum, Number.MAX_VALUE))
}

/** zod writes the bounds of safe integers if a schema has no bounds. */
function bound(given: number | undefined, otherwise: number): number {
  return given === undefined || Math.abs(given) >= Number.MAX_SAFE_INTEGER ? otherwise : given
}

function text({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  if (format === 'date' || format === 'date-time')
    return fc.oneof(
      fc.constantFrom(...extremeDates),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    )
  const patterned = pattern === undefined ? undefined : matches(pattern)
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength ?? 40, 40)) }
  const plain = fc.oneof(fc.string(length), fc.string({ ...length, unit: 'grapheme' }))
  const usual =
    patterned === undefined ? plain : fc.oneof({ weight: 4, arbitrary: patterned }, plain)
  return fc.oneof(
    { weight: 24, arbitrary: usual },
    { weight: 1, arbitrary: extremeTexts(minLength, Math.min(maxLength ?? 1000, 40_000)) },
    { weight: 1, arbitrary: fc.constantFrom(...extremeDates) },
  )
}

/** One generator per pattern: fast-check takes up to 100 ms to invert one. */
const matching = new Map<string, fc.Arbitrary<string> | undefined>()

function matches(pattern: string): fc.Arbitrary<string> | undefined {
  if (!matching.has(pattern)) matching.set(pattern, turnAround(pattern))
  return matching.get(pattern)
}

function turnAround(pattern: string): fc.Arbitrary<string> | undefined {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'))
  } catch {
    // It cannot invert every pattern, for example lookaheads.
    return undefined
  }
}

const propertyName = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('', 'constructor', 'toString', '\uD800', 'a.b', '#pk') },
  { weight: 1, arbitrary: extremeTexts(0, 1000) },
)

function object(schema: JsonSchema, named: Named): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties } = schema
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, named[name] ?? fitting(one, named)]),
  )
  const known = fc.record(model, { requiredKeys: required.filter((name) => name in model) })
  if (additionalProperties === undefined || additionalProperties === false) return known
  const value = fitting(additionalProperties === true ? {} : additionalProperties, named)
  return fc
    .tuple(known, fc.dictionary(propertyName, value, { maxKeys: 3 }))
    .map(([own, more]) => Object.assign(more, own))
}

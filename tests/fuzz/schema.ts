import fc from 'fast-check'

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
      return fc.integer({ min: bound(schema.minimum, -1000), max: bound(schema.maximum, 100_000) })
    case 'number':
      return fc.double({
        min: bound(schema.minimum, -1000),
        max: bound(schema.maximum, 100_000),
        noNaN: true,
      })
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
      return fc.jsonValue({ maxDepth: 3 })
  }
}

/** zod writes the bounds of safe integers if a schema has no bounds. */
function bound(given: number | undefined, otherwise: number): number {
  return given === undefined || Math.abs(given) >= Number.MAX_SAFE_INTEGER ? otherwise : given
}

function text({ format, pattern, minLength = 0, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  const patterned = pattern === undefined ? undefined : matches(pattern)
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength ?? 40, 40)) }
  const plain = fc.oneof(fc.string(length), fc.string({ ...length, unit: 'grapheme' }))
  return patterned === undefined ? plain : fc.oneof({ weight: 4, arbitrary: patterned }, plain)
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

function object(schema: JsonSchema, named: Named): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties } = schema
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, named[name] ?? fitting(one, named)]),
  )
  const known = fc.record(model, { requiredKeys: required.filter((name) => name in model) })
  if (additionalProperties === undefined || additionalProperties === false) return known
  const value = fitting(additionalProperties === true ? {} : additionalProperties, named)
  return fc
    .tuple(known, fc.dictionary(fc.string({ maxLength: 20 }), value, { maxKeys: 3 }))
    .map(([own, more]) => Object.assign(more, own))
}

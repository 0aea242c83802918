import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import * as z from 'zod'
import { fitting, type JsonSchema, type Named } from '../../fuzz/schema.ts'

/**
 * Returns the shortest generated body that a schema accepts, the same in each run.
 * @param described its JSON Schema without references. Default: derived from the schema
 * @param ruled values of fields by name, for rules that their JSON Schema does not describe
 * @throws Error if no generated body fits
 */
export function bodyFor(
  schema: z.ZodType,
  described: JsonSchema = inline(schema),
  ruled: Named = {},
): unknown {
  const [shortest] = bodiesFor(schema, described, ruled).toSorted(
    (a, b) => JSON.stringify(a).length - JSON.stringify(b).length,
  )
  if (shortest === undefined)
    throw new Error('no generated body fits the schema: give fields with further rules a value')
  return shortest
}

/**
 * Returns all fields of a change, each with a value that differs from the one in `from`.
 * @throws Error if a field has no other value
 */
export function changeFor(schema: z.ZodObject, from: object): Record<string, unknown> {
  const current = new Map<string, unknown>(Object.entries(from))
  const whole = schema.required()
  const bodies = bodiesFor(whole, inline(whole), {}).map((body) => whole.parse(body))
  const fields = Object.keys(schema.shape).map((field) => {
    const other = bodies.find((body) => !isDeepStrictEqual(body[field], current.get(field)))
    if (other === undefined) throw new Error(`the field ${field} has no other value`)
    return [field, other[field]]
  })
  return Object.fromEntries(fields) as Record<string, unknown>
}

function bodiesFor(schema: z.ZodType, described: JsonSchema, ruled: Named): unknown[] {
  return fc
    .sample(fitting(described, ruled), { numRuns: 100, seed: 1 })
    .filter((body) => schema.safeParse(body).success)
}

/** A schema with an id would be a reference; an empty registry hides the ids. */
function inline(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', metadata: z.registry() }) as JsonSchema
}

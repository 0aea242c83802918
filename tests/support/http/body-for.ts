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
  const generated = fc.sample(fitting(described, ruled), { numRuns: 100, seed: 1 })
  const [shortest] = generated
    .filter((body) => schema.safeParse(body).success)
    .toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)
  if (shortest === undefined)
    throw new Error('no generated body fits the schema: give fields with further rules a value')
  return shortest
}

/** A schema with an id would be a reference; an empty registry hides the ids. */
function inline(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', metadata: z.registry() }) as JsonSchema
}

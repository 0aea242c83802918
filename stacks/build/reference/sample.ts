import type { JsonSchema } from '../client/type-of.ts'

/** Keywords that narrow the values of a schema. */
interface SampledSchema extends JsonSchema {
  format?: string
  minimum?: number
  exclusiveMinimum?: number
  default?: unknown
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** Values by field name that read better than a placeholder. */
const wellKnown: Readonly<Record<string, string>> = {
  name: 'Melody',
  title: 'Melody',
  message: 'Hello',
  prompt: 'What is new?',
  text: 'Hello',
  content: 'Hello',
  memory: 'Trieste',
  email: 'ada@example.com',
  cronSchedule: '0 9 * * 1-5',
  timezone: 'Europe/London',
}

const formats: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** The maximum nesting depth, because schemas may be recursive. */
const deepest = 6

/**
 * Returns a minimal value for a schema: the required parts only. Values that only the reader can know are placeholders in
 * capitals.
 * @param name the field that holds the value
 * @param whole true to include optional parts, as in a response
 */
export function sampleOf(
  schema: JsonSchema,
  schemas: Schemas,
  { name = 'value', whole = false, depth = 0 } = {},
): unknown {
  const { $ref, type, anyOf, oneOf, allOf, items, properties = {}, required = [] } = schema
  const of = (other: JsonSchema, at = name) =>
    sampleOf(other, schemas, { name: at, whole, depth: depth + 1 })
  if (depth > deepest) return null
  if ($ref !== undefined) return of(schemas[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [choice] = anyOf ?? oneOf ?? []
  if (choice !== undefined) return of(choice)
  if (allOf !== undefined) return Object.assign({}, ...allOf.map((one) => of(one)))
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([key]) => whole || required.includes(key))
          .map(([key, property]) => [key, of(property, key)]),
      )
    case 'array':
      return items === undefined || items === false ? [] : [of(items, name.replace(/s$/, ''))]
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'string':
      return textOf(schema, name)
    default:
      return null
  }
}

function numberOf({ minimum, exclusiveMinimum, default: usual }: SampledSchema): number {
  if (typeof usual === 'number') return usual
  // Integer schemas have JavaScript's safe integer bounds by default.
  const least = Math.max(minimum ?? 1, exclusiveMinimum === undefined ? 1 : exclusiveMinimum + 1)
  return least
}

function textOf({ format = '', default: usual }: SampledSchema, name: string): string {
  if (typeof usual === 'string' && usual !== '') return usual
  return formats[format] ?? wellKnown[name] ?? placeholder(name)
}

/** Returns `agentId` as AGENT_ID. */
export function placeholder(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .toUpperCase()
}

/** Returns the placeholder of a path parameter. `id` is named after its collection: AGENT_ID in `/api/agents/{id}`. */
export function pathSample(path: string, name: string): string {
  if (name !== 'id') return placeholder(name)
  const [, before = ''] = /([\w-]+)\/\{id\}/.exec(path) ?? []
  return placeholder(`${before.replace(/ies$/, 'y').replace(/s$/, '')}Id`)
}

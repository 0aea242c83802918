import * as z from 'zod'
import { once } from '#shared/platform/once.ts'
import { headerValue } from './header-value.ts'

/** A parameter that a header of each call repeats: MCP 2026-07-28, custom headers from tool parameters. */
interface MirroredParam {
  header: string
  /** The names of the properties that lead to the parameter. */
  path: string[]
}

const annotation = 'x-mcp-header'

/** The most such headers of one tool, because servers limit the headers of a request. */
const maxHeaders = 20

/** The longest value in characters, for the same reason. A longer value gets no header, so the server refuses the call. */
const maxValue = 4000

const annotated = once(() =>
  z.object({
    // The syntax of a field name in RFC 9110.
    [annotation]: z
      .string()
      .max(64)
      .regex(/^[\w!#$%&'*+.^`|~-]+$/),
    type: z.enum(['string', 'integer', 'boolean']),
  }),
)

/**
 * Returns the parameters of a tool that its server wants in headers.
 * @returns undefined if one of their declarations is invalid: such a tool must not be offered
 */
export function mirroredParams(inputSchema: unknown): MirroredParam[] | undefined {
  const found: MirroredParam[] = []
  if (!collect(inputSchema, [], found)) return undefined
  const names = new Set(found.map(({ header }) => header))
  const isValid = names.size === found.length && found.length <= maxHeaders
  // An annotation is invalid in any other place of the schema, such as the items of a list.
  return isValid && countIn(inputSchema) === found.length ? found : undefined
}

/** @returns false for an invalid declaration */
function collect(schema: unknown, path: readonly string[], found: MirroredParam[]): boolean {
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(properties)) return true
  return Object.entries(properties).every(([name, property]) => {
    const inner = [...path, name]
    if (isAnnotated(property)) {
      const { data } = annotated().safeParse(property)
      if (data === undefined) return false
      found.push({ header: `mcp-param-${data[annotation].toLowerCase()}`, path: inner })
    }
    return collect(property, inner, found)
  })
}

/** Returns the number of annotations in a schema. */
function countIn(schema: unknown): number {
  let count = 0
  mapSchema(schema, (one) => {
    if (isAnnotated(one)) count++
    return one
  })
  return count
}

/** Returns a schema without the annotations, which concern only the platform and the server. */
export function withoutAnnotations<Schema>(schema: Schema): Schema {
  return mapSchema(schema, ({ [annotation]: _, ...rest }) => rest) as Schema
}

/** @param areProperties true for an object whose keys are names of properties, which may equal any keyword */
function mapSchema(
  node: unknown,
  change: (schema: Record<string, unknown>) => Record<string, unknown>,
  areProperties = false,
): unknown {
  if (Array.isArray(node)) return node.map((one: unknown) => mapSchema(one, change))
  if (!isObject(node)) return node
  const entries = Object.entries(areProperties ? node : change(node))
  return Object.fromEntries(
    entries.map(([key, child]) => [
      key,
      mapSchema(child, change, !areProperties && key === 'properties'),
    ]),
  )
}

/** Returns the headers of a call. A parameter without a value has none. */
export function paramHeaders(
  params: readonly MirroredParam[],
  input: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of params) {
    const value = path.reduce<unknown>((node, name) => ownValue(node, name), input)
    const text = textOf(value)
    if (text !== undefined) headers[header] = headerValue(text)
  }
  return headers
}

function ownValue(node: unknown, name: string): unknown {
  return isObject(node) && Object.hasOwn(node, name) ? node[name] : undefined
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= maxValue ? value : undefined
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : undefined
}

function isAnnotated(schema: unknown): boolean {
  return isObject(schema) && Object.hasOwn(schema, annotation)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

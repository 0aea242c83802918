import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Surface, surfaces } from '#shared/manifest/index.ts'
import type { JsonSchema } from './schema.ts'

const documents = join(import.meta.dirname, '../../dist/docs')

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
}

/** An operation of a running surface, as its OpenAPI document describes it. */
export interface Operation {
  surface: Surface
  method: string
  /** With parameters in braces. */
  path: string
  parameters: Parameter[]
  body: { contentType: string; schema: JsonSchema } | undefined
  /** The codes of its errors, by status. */
  codes: Record<string, readonly string[]>
  /** The accepted credentials; empty if none is required. */
  credentials: ('session' | 'key' | 'internal' | 'agent')[]
}

interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: Parameter[]
        requestBody?: { content: Record<string, { schema: JsonSchema }> }
        security: Record<string, string[]>[]
        responses: Record<string, { 'x-codes'?: string[] }>
      }
    >
  >
}

/** Returns every operation of every surface, from the documents of the last build. */
export function allOperations(): Operation[] {
  return surfaces.flatMap((surface) => {
    const text = readFileSync(join(documents, `${surface}.json`), 'utf8')
    return Object.entries(resolved(text).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody, ...operation }]) => ({
        surface,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody && bodyOf(requestBody.content),
        codes: Object.fromEntries(
          Object.entries(operation.responses).map(([status, answer]) => [
            status,
            answer['x-codes'] ?? [],
          ]),
        ),
        credentials: operation.security.flatMap((one) =>
          Object.keys(one),
        ) as Operation['credentials'],
      })),
    )
  })
}

/** Returns a document with all references resolved; a schema's reference to itself becomes any value. */
function resolved(text: string): Document {
  const document = JSON.parse(text) as { components: { schemas: Record<string, unknown> } }
  const resolve = (value: unknown, within: readonly string[] = []): unknown => {
    if (Array.isArray(value)) return value.map((one) => resolve(one, within))
    if (value === null || typeof value !== 'object') return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) {
      const name = $ref.replace('#/components/schemas/', '')
      if (within.includes(name)) return {}
      return resolve(document.components.schemas[name], [...within, name])
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, resolve(one, within)]),
    )
  }
  return resolve(document) as Document
}

function bodyOf(content: Record<string, { schema: JsonSchema }>): Operation['body'] {
  const [[contentType, { schema }] = ['application/json', { schema: {} }]] = Object.entries(content)
  return { contentType, schema }
}

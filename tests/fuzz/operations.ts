import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from './schema.ts'

const documents = join(import.meta.dirname, '../../dist/docs')

export type SurfaceName = 'web' | 'backend' | 'summarizer'

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: JsonSchema
}

/** One operation of a running surface, as its OpenAPI document says it. */
export interface Operation {
  surface: SurfaceName
  method: string
  /** With its parameters in braces. */
  path: string
  parameters: Parameter[]
  body: { contentType: string; schema: JsonSchema } | undefined
  /** The ways in; empty where none is needed. */
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
      }
    >
  >
}

/** Every operation of every surface, from the documents that the last build wrote. */
export function allOperations(): Operation[] {
  return (['web', 'backend', 'summarizer'] as const).flatMap((surface) => {
    const text = readFileSync(join(documents, `${surface}.json`), 'utf8')
    return Object.entries((JSON.parse(text) as Document).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { parameters = [], requestBody, security }]) => ({
        surface,
        method: method.toUpperCase(),
        path,
        parameters,
        body: requestBody && bodyOf(requestBody.content),
        credentials: security.flatMap((one) => Object.keys(one)) as Operation['credentials'],
      })),
    )
  })
}

function bodyOf(content: Record<string, { schema: JsonSchema }>): Operation['body'] {
  const [[contentType, { schema }] = ['application/json', { schema: {} }]] = Object.entries(content)
  return { contentType, schema }
}

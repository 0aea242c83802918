import type { OpenApiDocument, DocumentedOperation } from '#shared/http/openapi/document.ts'
import type { JsonSchema } from '../client/type-of.ts'
import { pathSample, sampleOf, type Schemas } from './sample.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: JsonSchema
}

type Content = Record<string, { schema: JsonSchema }>

/** An operation with an example request. */
export interface Example {
  /** Method and path, such as `POST /api/agents/{id}/ticket`. */
  operation: string
  method: string
  path: string
  /** The path parameters in order. */
  params: string[]
  /** The required query parameters. */
  query: Record<string, unknown>
  body: unknown
  /** The body's media type; undefined if there is no body. */
  type: string | undefined
  streams: boolean
  schemes: string[]
  /** An example response with all optional fields. */
  answer: { type: string; value: unknown; event: { name: string; value: unknown } | undefined }
}

/** Returns an example of every operation of a document. */
export function examplesOf({ paths, components }: OpenApiDocument): Example[] {
  const schemas = components.schemas as Schemas
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      exampleOf(path, method.toUpperCase(), operation, schemas),
    ),
  )
}

function exampleOf(
  path: string,
  method: string,
  operation: DocumentedOperation,
  schemas: Schemas,
): Example {
  const parameters = (operation.parameters ?? []) as Parameter[]
  const names = path.match(/\w+(?=\})/g) ?? []
  const needed = parameters.filter((one) => one.in === 'query' && one.required === true)
  const { content = {} } = (operation.requestBody ?? {}) as { content?: Content }
  const [type, sent] = Object.entries(content)[0] ?? []
  const success = Object.entries(operation.responses).find(([status]) => Number(status) < 400)?.[1]
  const answers = Object.entries(success?.content ?? {})
  const [answerType = 'application/json', answered] = answers[0] ?? []
  const events = answers.find(([name]) => name === 'text/event-stream')?.[1]['x-events']
  const last = Object.entries(events ?? {}).at(-1)
  const whole = { whole: true }
  return {
    operation: `${method} ${path}`,
    method,
    path,
    params: names.map((name) => pathSample(path, name)),
    query: Object.fromEntries(
      needed.map(({ name, schema }) => [name, sampleOf(schema, schemas, { name })]),
    ),
    body: sent === undefined ? undefined : sampleOf(sent.schema, schemas, { name: 'body' }),
    type,
    streams: events !== undefined,
    schemes: operation.security.flatMap((one) => Object.keys(one)),
    answer: {
      type: answerType,
      value: answered && sampleOf(answered.schema, schemas, whole),
      event: last && { name: last[0], value: sampleOf(last[1].schema, schemas, whole) },
    },
  }
}

/** Returns the path and query of an example's request. */
export function addressOf({ path, params, query }: Example): string {
  let i = 0
  const filled = path.replace(/\{\w+\}/g, () => params[i++] ?? '')
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  return search.size === 0 ? filled : `${filled}?${String(search)}`
}

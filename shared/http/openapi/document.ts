import type * as z from 'zod'
import { statusOf } from '../errors.ts'
import { nextCursor } from '../paged.ts'
import type { Route } from '../route.ts'
import { scopeOf } from '../guards/scope.ts'
import { codesOf } from './codes-of.ts'
import type { ErrorCode } from './codes.ts'
import { headerParameters } from './headers.ts'
import { Schemas } from './schemas.ts'
import { securityOf, securitySchemes } from './security.ts'

/** The parts of an OpenAPI 3.1 document that this project writes. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    securitySchemes: Record<string, { description: string }>
    schemas: Record<string, object>
  }
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: object[]
  requestBody?: object
  responses: Record<string, Answer>
}

export interface Answer {
  description: string
  /** The codes that a refusal with this status can carry. */
  'x-codes'?: ErrorCode[]
  headers?: Record<string, object>
  content: Record<string, { schema: object; 'x-events'?: Record<string, { schema: object }> }>
}

export type AnyRoute = Route<never>

/** The description of every answer that is no success. */
export const refused = 'Refused or failed'

const errorSchemas = {
  Error: {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'string' }, code: { type: 'string' } },
  },
  OpenAiError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['message'],
        properties: {
          message: { type: 'string' },
          type: { type: 'string' },
          code: { type: ['string', 'null'] },
          param: { type: ['string', 'null'] },
        },
      },
    },
  },
}

const pageHeaders = {
  [nextCursor]: {
    description: 'The `cursor` for what follows; absent at the end of the list',
    schema: { type: 'string' },
  },
}

/** The OpenAPI 3.1 document of a surface, from the very definitions that its functions validate by. */
export function openApiDocument(
  surface: string,
  url: string,
  routes: readonly AnyRoute[],
): OpenApiDocument {
  const schemas = new Schemas()
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operation(surface, route, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Agent platform: ${surface}`,
      version: '0.1.0',
      description: `Every route of the ${surface} surface.`,
    },
    servers: [{ url }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: { securitySchemes, schemas: { ...errorSchemas, ...sorted(schemas.components) } },
  }
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function operation(surface: string, route: AnyRoute, schemas: Schemas): Operation {
  const parameters = [
    ...parametersOf('path', route.params, schemas),
    ...parametersOf('query', route.query, schemas),
    ...headerParameters(route),
  ]
  return {
    operationId: route.name,
    summary: route.summary,
    tags: [route.tag],
    security: securityOf[route.guard].map((one) => ('key' in one ? { key: scopesOf(route) } : one)),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route, schemas),
    responses: responsesOf(surface, route, schemas),
  }
}

function bodyOf(route: AnyRoute, schemas: Schemas): Pick<Operation, 'requestBody'> {
  const { body, bodyOptional, rawBody } = route
  if (rawBody !== undefined)
    return {
      requestBody: { required: true, content: { [rawBody]: { schema: { type: 'string' } } } },
    }
  if (body === undefined) return {}
  const content = { 'application/json': { schema: schemas.write(body, 'input') } }
  return { requestBody: { required: bodyOptional !== true, content } }
}

/** What a key must be allowed to do; OpenAPI 3.1 lets every kind of credential name such roles. */
function scopesOf(route: AnyRoute): string[] {
  const scope = scopeOf(route)
  return scope === 'any' ? [] : [scope]
}

function responsesOf(surface: string, route: AnyRoute, schemas: Schemas): Operation['responses'] {
  const form = route.errorForm === 'openai' ? 'OpenAiError' : 'Error'
  const events = Object.entries(route.events ?? {}).map(
    ([name, schema]) => [name, { schema: schemas.write(schema, 'output') }] as const,
  )
  const { rawResponse, lines } = route
  const content = {
    ...(rawResponse === undefined
      ? {
          [lines === true ? 'application/x-ndjson' : 'application/json']: {
            schema: schemas.write(route.response, 'output'),
          },
        }
      : { [rawResponse]: { schema: { type: 'string' } } }),
    ...(events.length > 0 && {
      'text/event-stream': {
        schema: { type: 'string' },
        'x-events': Object.fromEntries(events),
      },
    }),
  }
  const { kinds, codes } = codesOf(surface, route)
  const failures = [...new Set([...route.errors, ...kinds])].map((kind) => {
    const carried = codes.get(kind) ?? []
    const answer: Answer = {
      description: refused,
      ...(carried.length > 0 && { 'x-codes': carried }),
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${form}` } } },
    }
    return [String(statusOf[kind]), answer] as const
  })
  return {
    [String(route.status ?? 200)]: {
      description: 'Success',
      ...(route.pages === true && { headers: pageHeaders }),
      content,
    },
    ...Object.fromEntries(failures),
  }
}

function parametersOf(
  place: 'path' | 'query',
  schema: z.ZodType | undefined,
  schemas: Schemas,
): object[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemas.write(schema, 'input') as {
    properties?: Record<string, object>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

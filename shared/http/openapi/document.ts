import type * as z from 'zod'
import type { Surface } from '#shared/manifest/types.ts'
import { statusOf } from '../errors.ts'
import type { GuardName } from '../guards/guard.ts'
import { nextCursor } from '../paged.ts'
import type { Route } from '../route.ts'
import { codesOf } from './codes-of.ts'
import type { ErrorCode } from './codes.ts'
import { descriptionOf, keyScopesOf } from './describe.ts'
import { errorSchemaOf, errorSchemas } from './errors.ts'
import { Schemas } from './schemas.ts'
import { securityOf, securitySchemes } from './security.ts'
import { type TagName, tags } from './tags.ts'

/** The parts of an OpenAPI 3.1 document that this project writes. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    description: string
    contact: { name: string }
    license: { name: string; identifier: string }
  }
  servers: { url: string; description: string }[]
  tags: { name: TagName; description: string }[]
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    securitySchemes: Record<string, { description: string }>
    schemas: Record<string, object>
  }
}

export interface DocumentedOperation {
  operationId: string
  summary: string
  description: string
  tags: TagName[]
  security: Record<string, never[]>[]
  /** The scopes of the operation. An API key needs one of them; the body can decide which one. */
  'x-scopes'?: readonly string[]
  parameters?: object[]
  requestBody?: object
  responses: Record<string, DocumentedResponse>
}

export interface DocumentedResponse {
  description: string
  /** The error codes of responses with this status. */
  'x-codes'?: ErrorCode[]
  headers?: Record<string, object>
  content?: Record<string, { schema: object; 'x-events'?: Record<string, { schema: object }> }>
}

export type AnyRoute = Route<never>

/** The description of every error response. */
export const errorDescription = 'An error'

const pageHeaders = {
  [nextCursor]: {
    description: 'The `cursor` of the next page; absent on the last page',
    schema: { type: 'string' },
  },
}

const pendingSchema = {
  PendingApproval: {
    type: 'object',
    required: ['state', 'approvalId'],
    properties: {
      state: { type: 'string', const: 'pending' },
      approvalId: { type: 'string' },
    },
  },
}

const pending: DocumentedResponse = {
  description: 'The request waits for an approval of the agent’s owner',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/PendingApproval' } } },
}

const redirectHeaders = {
  Location: {
    description: 'The target of the redirect',
    schema: { type: 'string', format: 'uri-reference' },
  },
}

/** Builds the OpenAPI 3.1 document of a surface from the definitions that its functions validate with. */
export function openApiDocument(
  surface: Surface,
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
  const named = [...new Set(routes.map((route) => route.tag))].sort()
  const errors = routes.flatMap((route) => route.errors.map((kind) => errorSchemaOf(route, kind)))
  const schemes = routes.flatMap(({ guard }) => securityOf[guard].flatMap(Object.keys))
  return {
    openapi: '3.1.0',
    info: {
      title: `Agent platform: ${surface}`,
      version: '0.1.0',
      description: `Every route of the ${surface} surface.`,
      contact: { name: 'The operator of this platform' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url, description: 'The surface that serves this document' }],
    tags: named.map((name) => ({ name, description: tags[name] })),
    paths,
    components: {
      securitySchemes: only(securitySchemes, schemes),
      schemas: {
        ...only(errorSchemas, errors),
        ...(routes.some(({ parks }) => parks === true) && pendingSchema),
        ...sorted(schemas.components),
      },
    },
  }
}

function only<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function operation(surface: Surface, route: AnyRoute, schemas: Schemas): DocumentedOperation {
  const parameters = [
    ...parametersOf('path', route.params, schemas),
    ...parametersOf('query', route.query, schemas),
    ...headerParameters(route),
  ]
  const scopes = keyScopesOf(route)
  return {
    operationId: route.name,
    summary: route.summary,
    description: descriptionOf(surface, route),
    tags: [route.tag],
    security: securityOf[route.guard],
    ...(scopes.length > 0 && { 'x-scopes': scopes }),
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route, schemas),
    responses: responsesOf(surface, route, schemas),
  }
}

function bodyOf(route: AnyRoute, schemas: Schemas): Pick<DocumentedOperation, 'requestBody'> {
  const { bodyOptional, rawBody } = route
  const body = route.documentedBody?.() ?? route.body
  if (rawBody !== undefined)
    return {
      requestBody: { required: true, content: { [rawBody]: { schema: { type: 'string' } } } },
    }
  if (body === undefined) return {}
  const content = { 'application/json': { schema: schemas.write(body, 'input') } }
  return { requestBody: { required: bodyOptional !== true, content } }
}

function responsesOf(
  surface: Surface,
  route: AnyRoute,
  schemas: Schemas,
): DocumentedOperation['responses'] {
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
    const answer: DocumentedResponse = {
      description: errorDescription,
      ...(carried.length > 0 && { 'x-codes': carried }),
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${errorSchemaOf(route, kind)}` },
        },
      },
    }
    return [String(statusOf[kind]), answer] as const
  })
  const status = route.status ?? 200
  return {
    [String(status)]: isRedirect(status)
      ? { description: 'A redirect', headers: redirectHeaders }
      : {
          description: 'Success',
          ...(route.pages === true && { headers: pageHeaders }),
          content,
        },
    ...(route.parks === true && { 202: pending }),
    ...Object.fromEntries(failures),
  }
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400
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

const idempotencyKey = {
  'Idempotency-Key':
    'Any text of 1 to 255 characters. For 24 hours, a retry with the same key returns the first response and is not executed again',
}

const session = {
  'x-session':
    'The agent’s session, percent-encoded, at most 200 characters. Its next turn tells the outcome of an approval',
}

const actsFor = { 'x-user-id': 'With INTERNAL_API_KEY: the user of the call' }

/** Guards that accept the internal key, for a user that a header names. */
const actsForOthers: ReadonlySet<GuardName> = new Set([
  'internal',
  'internal-or-user',
  'internal-user-or-agent',
  'agent-or-internal',
])

/** Returns the request headers of a route as parameters of an OpenAPI document, without authentication headers. */
function headerParameters(route: {
  guard: GuardName
  headers?: Readonly<Record<string, string>>
  idempotent?: true
  parks?: true
}): object[] {
  const described: Record<string, string> = {
    ...(actsForOthers.has(route.guard) && actsFor),
    ...(route.idempotent === true && idempotencyKey),
    ...(route.parks === true && session),
    ...route.headers,
  }
  return Object.entries(described).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }))
}

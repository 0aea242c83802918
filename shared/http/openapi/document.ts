import * as z from 'zod'
import { errorStatuses } from '../app.ts'
import type { Route } from '../route.ts'
import { headerParameters } from './headers.ts'

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
  responses: Record<string, { description: string; content: Record<string, object> }>
}

export type AnyRoute = Route<never>

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service-session',
    description:
      'The cookie service-session, which POST /api/auth/login of the web surface sets; what a page of another site sends with it is refused unless x-csrf-token is the token of GET /api/auth/csrf',
  },
  key: {
    type: 'http',
    scheme: 'bearer',
    description: 'A user’s API key (sk_…) as bearer, from POST /api/keys of the web surface',
  },
  internal: {
    type: 'http',
    scheme: 'bearer',
    description: 'INTERNAL_API_KEY as bearer; the header x-user-id names the user it acts for',
  },
  agent: {
    type: 'http',
    scheme: 'bearer',
    description: 'The scoped key (ak_…) of an agent’s container as bearer',
  },
}

const securityOf: Record<AnyRoute['guard'], Operation['security']> = {
  none: [],
  session: [{ session: [] }, { key: [] }],
  'optional-session': [{ session: [] }, { key: [] }, {}],
  'user-key': [{ key: [] }],
  internal: [{ internal: [] }],
  'internal-or-user': [{ internal: [] }, { key: [] }],
  'internal-user-or-agent': [{ internal: [] }, { key: [] }, { agent: [] }],
  'agent-or-internal': [{ agent: [] }, { internal: [] }],
}

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

/** The OpenAPI 3.1 document of a surface, from the very definitions that its functions validate by. */
export function openApiDocument(
  surface: string,
  url: string,
  routes: readonly AnyRoute[],
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) }
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
    components: { securitySchemes, schemas: errorSchemas },
  }
}

function operation(route: AnyRoute): Operation {
  const parameters = [
    ...parametersOf('path', route.params),
    ...parametersOf('query', route.query),
    ...headerParameters(route),
  ]
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    security: securityOf[route.guard],
    ...(parameters.length > 0 && { parameters }),
    ...bodyOf(route),
    responses: responsesOf(route),
  }
}

function bodyOf(route: AnyRoute): Pick<Operation, 'requestBody'> {
  const { body, bodyOptional, rawBody } = route
  if (rawBody !== undefined)
    return {
      requestBody: { required: true, content: { [rawBody]: { schema: { type: 'string' } } } },
    }
  if (body === undefined) return {}
  const content = { 'application/json': { schema: jsonSchema(body, 'input') } }
  return { requestBody: { required: bodyOptional !== true, content } }
}

/** `POST /api/agents/:id/start` is `postAgentsIdStart`. */
function operationId(route: AnyRoute): string {
  const words = route.path.replace(/^\/api(?=\/)/, '').match(/[A-Za-z0-9]+/g) ?? ['root']
  return (
    route.method.toLowerCase() +
    words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  )
}

function responsesOf(route: AnyRoute): Operation['responses'] {
  const form = route.errorForm === 'openai' ? 'OpenAiError' : 'Error'
  const content = {
    'application/json': { schema: jsonSchema(route.response, 'output') },
    ...(route.streams === true && { 'text/event-stream': { schema: { type: 'string' } } }),
  }
  const failure = {
    description: refused,
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${form}` } } },
  }
  return {
    [String(route.status ?? 200)]: { description: 'Success', content },
    ...Object.fromEntries(errorStatuses(route).map((status) => [String(status), failure])),
  }
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined): object[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
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

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

import { userMailer } from '#shared/accounts/users/user-mailer.ts'
import { agentParams } from '#shared/agents/record/schema.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { sealer } from '#shared/platform/seal.ts'
import { allowTools } from '#shared/tools/connections/allow.ts'
import { authorizeConnection } from '#shared/tools/connections/authorize.ts'
import { connectionSealer } from '#shared/tools/connections/context.ts'
import { createConnection } from '#shared/tools/connections/create.ts'
import { deleteConnection } from '#shared/tools/connections/delete.ts'
import { listConnections } from '#shared/tools/connections/list.ts'
import { listConnectionRequests } from '#shared/tools/connections/requests.ts'
import {
  connection,
  connectionChange,
  connectionDeleted,
  connectionList,
  connectionParams,
  connectionRequestList,
  connectionRequestQuery,
  newConnection,
} from '#shared/tools/connections/schema.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'
import { callbackRoutes } from './connections/callback.ts'
import type { Services } from './connections/services.ts'

export type { Services }

const route = routesWith<Services>({ limits: [agentsLimit] })

const tag = 'connections'

/** The limit of routes that may call servers of other parties. */
const signInLimit = { scope: 'connections', perMinute: 20 }

const signInCodes = ['CONNECTION_DISCOVERY_FAILED', 'CONNECTION_UNREACHABLE'] as const

export const routes = [
  route({
    name: 'agents.connections.list',
    method: 'GET',
    path: '/api/agents/:id/connections',
    summary: 'List the connections of an agent',
    description: 'Names and descriptions of tools are texts of the server.',
    tag,
    guard: 'session',
    params: agentParams,
    response: connectionList,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => ({
      connections: await listConnections(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.connections.create',
    method: 'POST',
    path: '/api/agents/:id/connections',
    summary: 'Connect an agent to an MCP server',
    description:
      'If the server requires a sign-in, the response has an `authorizeUrl` for the caller’s browser. No tool is allowed at first.',
    tag,
    guard: 'session',
    limits: [signInLimit],
    beforeFields: (services) => void connectionSealer(services),
    params: agentParams,
    body: newConnection,
    status: 201,
    response: connection,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'bad-gateway',
      'unavailable',
    ],
    codes: ['CONNECTION_EXISTS', 'CONNECTION_LIMIT_REACHED', ...signInCodes],
    audits: ['connection.changed'],
    handle: (ctx, { params, body }) => createConnection(ctx, { agentId: params.id, ...body }),
  }),

  route({
    name: 'agents.connections.update',
    method: 'PATCH',
    path: '/api/agents/:id/connections/:name',
    summary: 'Set the tools that an agent may use over a connection',
    description: 'Every other tool is off, also those that the server adds later.',
    tag,
    guard: 'session',
    params: connectionParams,
    body: connectionChange,
    response: connection,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    audits: ['connection.changed'],
    handle: (ctx, { params: { id, name }, body }) =>
      allowTools(ctx, { agentId: id, name, allow: body.tools.allow }),
  }),

  route({
    name: 'agents.connections.authorize',
    method: 'POST',
    path: '/api/agents/:id/connections/:name/authorize',
    summary: 'Sign in at the server of a connection again, and read its tools',
    description:
      'Reads the tools again. If the server requires a sign-in, the response has an `authorizeUrl` for the caller’s browser.',
    tag,
    guard: 'session',
    limits: [signInLimit],
    params: connectionParams,
    response: connection,
    errors: [
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'bad-gateway',
      'unavailable',
    ],
    codes: [...signInCodes, 'CONNECTION_BUSY', 'CONNECTION_REFRESH_FAILED'],
    notAudited: 'a sign-in at another service; it gives no access here',
    handle: (ctx, { params: { id, name } }) => authorizeConnection(ctx, { agentId: id, name }),
  }),

  route({
    name: 'agents.connections.delete',
    method: 'DELETE',
    path: '/api/agents/:id/connections/:name',
    summary: 'Delete a connection of an agent',
    description: 'Its tokens are revoked at the server, if the server answers.',
    tag,
    guard: 'session',
    params: connectionParams,
    response: connectionDeleted,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    audits: ['connection.changed'],
    handle: async (ctx, { params: { id, name } }) => {
      await deleteConnection(ctx, { agentId: id, name })
      return { success: true as const, name }
    },
  }),

  route({
    name: 'agents.connectionRequests.list',
    method: 'GET',
    path: '/api/agents/:id/connection-requests',
    summary: 'List the requests over the connections of an agent',
    description: 'The last 30 days, newest first.',
    tag,
    guard: 'session',
    params: agentParams,
    query: connectionRequestQuery,
    response: connectionRequestList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const { items, next } = await listConnectionRequests(ctx, { agentId: params.id, ...query })
      return new Paged({ requests: items }, next)
    },
  }),

  ...callbackRoutes,
]

export function wire(config: ConfigOf<'web-connections'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  const { WALLET_ENCRYPTION_KEY: encryptionKey, WEB_URL: webUrl } = config
  const seals = encryptionKey === undefined ? undefined : sealer(encryptionKey)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    encryptionKey,
    allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
    webUrl,
    mailer: userMailer({ table, queues: queuesFor(origin), sealer: seals }),
  }))
}

import { agentParams } from '#shared/agents/record/schema.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from '#shared/tools/connections/context.ts'
import { listConnections } from '#shared/tools/connections/list.ts'
import { listConnectionRequests } from '#shared/tools/connections/requests.ts'
import {
  connectionList,
  connectionRequestList,
  connectionRequestQuery,
} from '#shared/tools/connections/schema.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = Pick<Context, 'table'> & ConnectionSettings

const route = routesWith<Services>({ limits: [agentsLimit] })

const tag = 'connections'

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
]

export function wire(config: ConfigOf<'web-connections'>): Wiring<Services> {
  return userGroup<Services>(config, (table) => ({
    table,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
  }))
}

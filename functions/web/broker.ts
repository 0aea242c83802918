import { agentParams } from '#shared/agents/record/schema.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import {
  brokerSealer,
  type BrokerSettings,
  createBrokerCredential,
} from '#shared/tools/broker/create.ts'
import { deleteBrokerCredential } from '#shared/tools/broker/delete.ts'
import { listBrokerCredentials } from '#shared/tools/broker/list.ts'
import { listBrokerRequests } from '#shared/tools/broker/requests.ts'
import {
  brokerCredential,
  brokerCredentialDeleted,
  brokerCredentialList,
  brokerCredentialParams,
  brokerRequestList,
  brokerRequestQuery,
  newBrokerCredential,
} from '#shared/tools/broker/schema.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = Pick<Context, 'table'> & BrokerSettings

const route = routesWith<Services>({ limits: [agentsLimit] })

const tag = 'broker'
const notAudited = 'a credential for other services; it gives no access here'

export const routes = [
  route({
    name: 'agents.brokerCredentials.create',
    method: 'POST',
    path: '/api/agents/:id/broker-credentials',
    summary: 'Set a broker credential of an agent',
    description:
      'The agent can use the credential for requests to its hosts but cannot read it. Replaces a credential with the same name.',
    tag,
    guard: 'session',
    beforeFields: (services) => void brokerSealer(services),
    params: agentParams,
    body: newBrokerCredential,
    status: 201,
    response: brokerCredential,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    codes: ['BROKER_CREDENTIALS_FULL'],
    notAudited,
    handle: (ctx, { params, body }) => createBrokerCredential(ctx, { agentId: params.id, ...body }),
  }),

  route({
    name: 'agents.brokerCredentials.list',
    method: 'GET',
    path: '/api/agents/:id/broker-credentials',
    summary: 'List the broker credentials of an agent',
    description: 'Names and hosts only.',
    tag,
    guard: 'session',
    params: agentParams,
    response: brokerCredentialList,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => ({
      credentials: await listBrokerCredentials(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.brokerCredentials.delete',
    method: 'DELETE',
    path: '/api/agents/:id/broker-credentials/:name',
    summary: 'Delete a broker credential of an agent',
    tag,
    guard: 'session',
    params: brokerCredentialParams,
    response: brokerCredentialDeleted,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    notAudited,
    handle: async (ctx, { params: { id, name } }) => {
      await deleteBrokerCredential(ctx, { agentId: id, name })
      return { success: true as const, name }
    },
  }),

  route({
    name: 'agents.brokerRequests.list',
    method: 'GET',
    path: '/api/agents/:id/broker-requests',
    summary: 'List the broker requests of an agent',
    description: 'The last 30 days, newest first.',
    tag,
    guard: 'session',
    params: agentParams,
    query: brokerRequestQuery,
    response: brokerRequestList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params, query }) => {
      const { items, next } = await listBrokerRequests(ctx, { agentId: params.id, ...query })
      return new Paged({ requests: items }, next)
    },
  }),
]

export function wire(config: ConfigOf<'web-broker'>): Wiring<Services> {
  return userGroup<Services>(config, (table) => ({
    table,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    allowed: config.deployed ? [] : config.FETCH_ALLOW_HOSTS,
  }))
}

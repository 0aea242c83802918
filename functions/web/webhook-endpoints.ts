import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Can, Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { sealerOf } from '#shared/tools/webhook-endpoints/context.ts'
import { createEndpoint } from '#shared/tools/webhook-endpoints/create.ts'
import { deleteEndpoint } from '#shared/tools/webhook-endpoints/delete.ts'
import { listDeliveries } from '#shared/tools/webhook-endpoints/deliveries.ts'
import { listEndpoints } from '#shared/tools/webhook-endpoints/list.ts'
import { pingEndpoint } from '#shared/tools/webhook-endpoints/ping.ts'
import { redeliver } from '#shared/tools/webhook-endpoints/redeliver.ts'
import {
  createdEndpoint,
  deliveryList,
  deliveryQuery,
  deliveryParams,
  deliveryView,
  endpointDeleted,
  endpointList,
  endpointParams,
  newEndpoint,
} from '#shared/tools/webhook-endpoints/schema.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> &
  Sends<'webhook-deliveries'> &
  Can<'encryptionKey' | 'guard'>

const route = routesWith<Services>()

const tag = 'webhooks'
const notAudited = 'changes no account, access or money'

export const routes = [
  /** Not idempotent: a stored response would contain the secret. */
  route({
    name: 'webhookEndpoints.create',
    method: 'POST',
    path: '/api/webhook-endpoints',
    summary: 'Create a webhook endpoint',
    description: 'The signing secret is returned only once.',
    tag,
    guard: 'session',
    beforeFields: (services) => void sealerOf(services),
    body: newEndpoint,
    status: 201,
    response: createdEndpoint,
    errors: ['bad-request', 'unauthorized', 'conflict', 'unavailable'],
    codes: ['WEBHOOK_ENDPOINT_LIMIT_REACHED'],
    notAudited,
    handle: async (context, { body }) => {
      const endpoint = await createEndpoint(context, body)
      return Response.json(endpoint, { status: 201, headers: { 'cache-control': 'no-store' } })
    },
  }),

  route({
    name: 'webhookEndpoints.list',
    method: 'GET',
    path: '/api/webhook-endpoints',
    summary: 'List webhook endpoints',
    description: 'Oldest first.',
    tag,
    guard: 'session',
    response: endpointList,
    errors: ['unauthorized'],
    handle: async (context) => ({ endpoints: await listEndpoints(context) }),
  }),

  route({
    name: 'webhookEndpoints.delete',
    method: 'DELETE',
    path: '/api/webhook-endpoints/:id',
    summary: 'Delete a webhook endpoint',
    tag,
    guard: 'session',
    params: endpointParams,
    response: endpointDeleted,
    errors: ['unauthorized', 'not-found'],
    notAudited,
    handle: async (context, { params }) => {
      await deleteEndpoint(context, params)
      return { success: true as const, id: params.id }
    },
  }),

  route({
    name: 'webhookEndpoints.test',
    method: 'POST',
    path: '/api/webhook-endpoints/:id/test',
    summary: 'Send a test event to a webhook endpoint',
    description: 'The event has the type ping.',
    tag,
    guard: 'session',
    limits: [{ scope: 'webhook-test', perMinute: 10 }],
    params: endpointParams,
    status: 202,
    response: deliveryView,
    errors: ['unauthorized', 'not-found', 'conflict'],
    notAudited,
    handle: (context, { params }) => pingEndpoint(context, params),
  }),

  route({
    name: 'webhookEndpoints.deliveries',
    method: 'GET',
    path: '/api/webhook-endpoints/:id/deliveries',
    summary: 'List deliveries of a webhook endpoint',
    description: 'Newest first.',
    tag,
    guard: 'session',
    params: endpointParams,
    query: deliveryQuery,
    response: deliveryList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found'],
    handle: async (context, { params, query }) => {
      const { items, next } = await listDeliveries(context, { ...params, ...query })
      return new Paged({ deliveries: items }, next)
    },
  }),

  route({
    name: 'webhookEndpoints.redeliver',
    method: 'POST',
    path: '/api/webhook-endpoints/:id/deliveries/:deliveryId/redeliver',
    summary: 'Redeliver an event',
    description: 'Keeps its webhook-id.',
    tag,
    guard: 'session',
    limits: [{ scope: 'webhook-test', perMinute: 10 }],
    params: deliveryParams,
    status: 202,
    response: deliveryView,
    errors: ['unauthorized', 'not-found', 'conflict'],
    notAudited,
    handle: (context, { params }) => redeliver(context, params),
  }),
]

export function wire(config: ConfigOf<'web-webhook-endpoints'>): Wiring<Services> {
  const queuesFor = openQueues(config)
  return userGroup<Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    guard: config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
  }))
}

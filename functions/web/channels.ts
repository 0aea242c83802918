import { agentParams } from '#shared/agents/record/schema.ts'
import type { CallsServices } from '#shared/conversations/channels/adapter-context.ts'
import { createChannel } from '#shared/conversations/channels/create.ts'
import { deleteChannel } from '#shared/conversations/channels/delete.ts'
import { listChannelDeliveries } from '#shared/conversations/channels/deliveries/list.ts'
import { listChannels } from '#shared/conversations/channels/list.ts'
import {
  channelChange,
  channelDeleted,
  channelDeliveryList,
  channelList,
  channelParams,
  createdChannel,
  deliveriesQuery,
  documentedChange,
  newChannel,
} from '#shared/conversations/channels/schema.ts'
import { updateChannel } from '#shared/conversations/channels/update.ts'
import { Paged } from '#shared/http/paged.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'
import { agentsLimit } from './agents/limit.ts'

export type Services = Pick<Context, 'table'> & Omit<CallsServices, 'log'>

const route = routesWith<Services>({ limits: [agentsLimit] })

const tag = 'channels'
const notAudited = 'changes where people can reach an agent, not access to the platform'

export const routes = [
  route({
    name: 'agents.channels.create',
    method: 'POST',
    path: '/api/agents/:id/channels',
    summary: 'Create a channel',
    description:
      'Checks the credentials at the service and registers the address for its events. A secret that the platform makes is in the response once.',
    tag,
    guard: 'session',
    params: agentParams,
    body: newChannel,
    status: 201,
    response: createdChannel,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'bad-gateway',
      'unavailable',
    ],
    codes: ['CHANNEL_LIMIT_REACHED'],
    notAudited,
    handle: (ctx, { params, body }) => createChannel(ctx, { agentId: params.id, body }),
  }),

  route({
    name: 'agents.channels.list',
    method: 'GET',
    path: '/api/agents/:id/channels',
    summary: 'List the channels of an agent',
    tag,
    guard: 'session',
    params: agentParams,
    response: channelList,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params }) => ({
      channels: await listChannels(ctx, { agentId: params.id }),
    }),
  }),

  route({
    name: 'agents.channels.update',
    method: 'PATCH',
    path: '/api/agents/:id/channels/:channelId',
    summary: 'Change a channel',
    description: 'Absent fields stay unchanged. A new secret is in the response once.',
    tag,
    guard: 'session',
    params: channelParams,
    body: channelChange,
    documentedBody: () => documentedChange,
    response: createdChannel,
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'conflict',
      'too-many-requests',
      'bad-gateway',
      'unavailable',
    ],
    notAudited,
    handle: (ctx, { params: { id: agentId, channelId }, body }) =>
      updateChannel(ctx, { agentId, channelId, body }),
  }),

  route({
    name: 'agents.channels.delete',
    method: 'DELETE',
    path: '/api/agents/:id/channels/:channelId',
    summary: 'Delete a channel',
    tag,
    guard: 'session',
    params: channelParams,
    response: channelDeleted,
    errors: ['unauthorized', 'not-found', 'too-many-requests'],
    notAudited,
    handle: async (ctx, { params: { id: agentId, channelId } }) => {
      await deleteChannel(ctx, { agentId, channelId })
      return { success: true as const, id: channelId }
    },
  }),

  route({
    name: 'agents.channels.deliveries',
    method: 'GET',
    path: '/api/agents/:id/channels/:channelId/deliveries',
    summary: 'List what a channel sent',
    description: 'The parts of messages of the last 30 days, newest first.',
    tag,
    guard: 'session',
    params: channelParams,
    query: deliveriesQuery,
    response: channelDeliveryList,
    pages: true,
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
    handle: async (ctx, { params: { id: agentId, channelId }, query }) => {
      const { items, next } = await listChannelDeliveries(ctx, { agentId, channelId, ...query })
      return new Paged({ deliveries: items }, next)
    },
  }),
]

export function wire(config: ConfigOf<'web-channels'>): Wiring<Services> {
  return userGroup(config, (table) => ({
    table,
    config,
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    webUrl: config.WEB_URL,
    guard: { deployed: config.deployed },
  }))
}

import { agentParams } from '#shared/agents/record/schema.ts'
import type { CallsServices } from '#shared/conversations/channels/adapter-context.ts'
import { createChannel } from '#shared/conversations/channels/create.ts'
import { listChannels } from '#shared/conversations/channels/list.ts'
import { channelList, createdChannel, newChannel } from '#shared/conversations/channels/schema.ts'
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
    summary: 'Create a channel of an agent',
    description:
      'Checks the credentials at the service and registers the address for its events. The secrets are never returned, except one that the platform makes, which the response contains once.',
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

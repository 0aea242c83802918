import * as z from 'zod'
import type { CallsServices } from '#shared/conversations/channels/adapter-context.ts'
import { maxInboundBytes } from '#shared/conversations/channels/adapters/limits.ts'
import { receiveEvents } from '#shared/conversations/channels/events/receive.ts'
import { inboundParams } from '#shared/conversations/channels/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Sends } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { openTable } from '#shared/platform/table/open.ts'

export type Services = Pick<Context, 'table'> & Omit<CallsServices, 'log'> & Sends<'channel-turns'>

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'channels.receive',
    method: 'POST',
    path: '/in/:kind/:channelId',
    summary: 'Receive events of a channel’s service',
    description: 'The service signs its requests. Each event is taken once.',
    tag: 'channels',
    guard: 'signature',
    limitedBy: 'handler',
    limits: [{ scope: 'channel-events', perMinute: 300 }],
    params: inboundParams,
    rawBody: 'application/json',
    maxBodyBytes: maxInboundBytes,
    response: z.object({ received: z.literal(true) }),
    errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    notAudited: 'a message to an agent; no account, access or money changes',
    handle: async (ctx, { params }) => {
      const { request } = ctx
      const inbound = {
        method: 'POST' as const,
        headers: request.headers,
        query: new URL(request.url).searchParams,
        body: new Uint8Array(await request.arrayBuffer()),
      }
      const countFor = (channelId: string) => ctx.countFor(channelId)
      const challenge = await receiveEvents(ctx, { ...params, inbound, countFor })
      return challenge ?? { received: true as const }
    },
  }),

  route({
    name: 'channels.prove',
    method: 'GET',
    path: '/in/:kind/:channelId',
    summary: 'Prove the address of a channel to its service',
    tag: 'channels',
    guard: 'signature',
    limitedBy: 'handler',
    // Anyone may ask whether an address for mail exists, which must not hold up the events.
    limits: [{ scope: 'channel-proofs', perMinute: 300 }],
    params: inboundParams,
    rawResponse: 'text/plain',
    response: z.string(),
    errors: ['unauthorized', 'not-found', 'too-many-requests', 'unavailable'],
    handle: async (ctx, { params }) => {
      const { request } = ctx
      const inbound = {
        method: 'GET' as const,
        headers: request.headers,
        query: new URL(request.url).searchParams,
        body: new Uint8Array(),
      }
      const countFor = (channelId: string) => ctx.countFor(channelId)
      return (await receiveEvents(ctx, { ...params, inbound, countFor })) ?? new Response('')
    },
  }),
]

export function wire(config: ConfigOf<'web-channels-in'>): Wiring<Services> {
  const table = openTable(config)
  const queuesFor = openQueues(config)
  return {
    services: (origin) => ({
      table,
      queues: queuesFor(origin),
      config,
      encryptionKey: config.WALLET_ENCRYPTION_KEY,
      webUrl: config.WEB_URL,
      guard: { deployed: config.deployed },
    }),
    table,
  }
}

import { checkScope } from '#shared/http/guards/scope.ts'
import { routesWith } from '#shared/http/route.ts'
import { actUpstream } from '#shared/network/x402-upstream/act.ts'
import type { HasX402Gateway } from '#shared/network/x402-upstream/call.ts'
import { readHealth } from '#shared/network/x402-upstream/health.ts'
import {
  upstreamAnswer,
  upstreamHealth,
  upstreamRequest,
} from '#shared/network/x402-upstream/schema.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'

export type Services = Pick<Context, 'table'> & HasX402Gateway

const route = routesWith<Services>()

/** Each request also calls an external server, even without sign-in. */
const upstreamLimit = { scope: 'x402', perMinute: 60 }

export const routes = [
  route({
    name: 'paymentGateway.health',
    method: 'GET',
    path: '/api/x402',
    summary: 'Get the health of the x402 gateway',
    tag: 'x402',
    guard: 'none',
    limits: [upstreamLimit],
    response: upstreamHealth,
    errors: ['too-many-requests', 'unavailable'],
    handle: (ctx) => readHealth(ctx),
  }),

  route({
    name: 'paymentGateway.act',
    method: 'POST',
    path: '/api/x402',
    summary: 'Call the x402 gateway',
    description: 'Joins the colony, pays, or reads fitness, prices and endpoints.',
    tag: 'x402',
    guard: 'optional-session',
    scope: ['write', 'money'],
    limits: [upstreamLimit],
    body: upstreamRequest,
    response: upstreamAnswer,
    idempotent: true,
    notAudited: 'the gateway records its own actions; nothing changes here',
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'too-many-requests',
      'internal',
      'unavailable',
    ],
    handle: async (ctx, { body }) => {
      checkScope(ctx.actor, { method: 'POST', scope: body.action === 'pay' ? 'money' : 'write' })
      const { status, body: answer } = await actUpstream(ctx, body)
      return Response.json(answer, { status })
    },
  }),
]

export function wire(config: ConfigOf<'web-x402'>) {
  return userGroup<Services>(config, (table) => ({
    table,
    gatewayUrl: config.X402_GATEWAY_URL,
  }))
}

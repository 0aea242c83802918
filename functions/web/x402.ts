import { describedCatalogue } from '../../shared/ai/models/described.ts'
import { createProviders } from '../../shared/ai/providers/provider.ts'
import { respondThen } from '../../shared/http/respond-then.ts'
import { routesWith } from '../../shared/http/route.ts'
import { keyHolder } from '../../shared/paid-gateway/demand.ts'
import type { PaidGatewayServices } from '../../shared/paid-gateway/context.ts'
import { path } from '../../shared/paid-gateway/path.ts'
import { gatewayAnswer, gatewayRequest } from '../../shared/paid-gateway/schema.ts'
import { sellAnswer } from '../../shared/paid-gateway/sell.ts'
import type { ConfigOf } from '../../shared/platform/config/granted.ts'
import { openQueues } from '../../shared/platform/queues/open.ts'
import { actUpstream } from '../../shared/x402-upstream/act.ts'
import type { UpstreamContext } from '../../shared/x402-upstream/call.ts'
import { readHealth } from '../../shared/x402-upstream/health.ts'
import {
  upstreamAnswer,
  upstreamHealth,
  upstreamRequest,
} from '../../shared/x402-upstream/schema.ts'
import { userGroup } from '../common/user-group.ts'

export interface X402Services extends UpstreamContext, PaidGatewayServices {}

const route = routesWith<X402Services>()

/** Each request is one to another's server, also without a sign-in. */
const upstreamLimit = { scope: 'x402', perMinute: 60 }

export const routes = [
  route({
    name: 'paymentGateway.health',
    method: 'GET',
    path: '/api/x402',
    summary: 'What the x402 gateway says of its health',
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
    summary: 'Join the colony, pay, or read fitness, prices and endpoints at the x402 gateway',
    tag: 'x402',
    guard: 'optional-session',
    limits: [upstreamLimit],
    body: upstreamRequest,
    response: upstreamAnswer,
    idempotent: true,
    notAudited: 'what the gateway does for an agent is its own record; nothing changes here',
    errors: [
      'bad-request',
      'unauthorized',
      'not-found',
      'too-many-requests',
      'internal',
      'unavailable',
    ],
    handle: async (ctx, { body }) => {
      const { status, body: answer } = await actUpstream(ctx, body)
      return Response.json(answer, { status })
    },
  }),

  route({
    name: 'paidGateway.ask',
    method: 'POST',
    path,
    summary: 'One answer of a model or an agent, for a caller who pays for it by x402',
    tag: 'x402',
    guard: 'none',
    headers: {
      'payment-signature':
        'The payment: x402 version 2, scheme exact. Without it, 402 says what is asked for',
    },
    body: gatewayRequest,
    response: gatewayAnswer,
    idempotent: true,
    payer: (_body, ctx) => keyHolder(ctx),
    notAudited: 'a payer is no user; the payment stands on the chain, and its claim in the table',
    errors: [
      'bad-request',
      'payment-required',
      'forbidden',
      'not-found',
      'conflict',
      'too-many-requests',
      'bad-gateway',
      'unavailable',
    ],
    codes: [
      'AGENT_FAILED',
      'AI_INTERRUPTED',
      'AI_UNAVAILABLE',
      'MODEL_RESTRICTED',
      'PAYMENT_INVALID',
      'PAYMENT_USED',
      'SPEND_CAP_REACHED',
      'unknown_plugin',
    ],
    handle: async (ctx, { body }) => {
      const { answer, headers, use, leave } = await sellAnswer(ctx, body)
      return respondThen(gatewayAnswer.parse(answer), use, { headers, left: leave })
    },
  }),
]

export function wire(config: ConfigOf<'web-x402'>) {
  const providers = createProviders(config)
  const catalogue = describedCatalogue(providers)
  const queuesFor = openQueues(config)
  return userGroup<X402Services>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    config,
    providers,
    catalogue,
    timeoutMs: config.AI_MODEL_TIMEOUT_MS,
    capUsd: config.X402_SPEND_CAP_USD ?? null,
    gatewayUrl: config.X402_GATEWAY_URL,
  }))
}

import type { AiContext } from '#shared/ai/gateway/context.ts'
import { describeCatalogue } from '#shared/ai/gateway/models/describe-catalogue.ts'
import { createProviders } from '#shared/ai/gateway/providers/provider.ts'
import type { PaidGatewayNeeds } from '#shared/conversations/paid-gateway/context.ts'
import { keyHolder } from '#shared/conversations/paid-gateway/demand.ts'
import { path } from '#shared/conversations/paid-gateway/path.ts'
import { gatewayAnswer, gatewayRequest } from '#shared/conversations/paid-gateway/schema.ts'
import { sellAnswer } from '#shared/conversations/paid-gateway/sell.ts'
import { respondThen } from '#shared/http/respond-then.ts'
import { routesWith } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { openQueues } from '#shared/platform/queues/open.ts'
import { userGroup } from '../common/user-group.ts'

const route = routesWith<Omit<AiContext, 'log'> & PaidGatewayNeeds>()

export const routes = [
  route({
    name: 'paidGateway.ask',
    method: 'POST',
    path,
    summary: 'Ask a model or an agent, paid by x402',
    tag: 'x402',
    guard: 'none',
    open: { kind: 'paid-answers', most: 20, what: 'paid answers' },
    headers: {
      'payment-signature':
        'The payment: x402 version 2, scheme exact. Without it, a 402 response contains the terms',
    },
    body: gatewayRequest,
    response: gatewayAnswer,
    idempotent: true,
    replayed: ['payment-response'],
    payer: (_body, ctx) => keyHolder(ctx),
    audits: ['credits.granted'],
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

export function wire(config: ConfigOf<'web-paid-gateway'>) {
  const providers = createProviders(config)
  const catalogue = describeCatalogue(providers)
  const queuesFor = openQueues(config)
  return userGroup<Omit<AiContext, 'log'> & PaidGatewayNeeds>(config, (table) => (origin) => ({
    table,
    queues: queuesFor(origin),
    settlements: queuesFor(origin),
    config,
    webUrl: config.WEB_URL,
    providers,
    catalogue,
    timeoutMs: config.AI_MODEL_TIMEOUT_MS,
    capUsd: config.X402_SPEND_CAP_USD ?? null,
  }))
}

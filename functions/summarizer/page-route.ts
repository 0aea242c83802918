import { type RequestContext, routesWith } from '#shared/http/route.ts'
import type { ProvenAgentActor, PublicActor } from '#shared/platform/identity/actor.ts'
import { pageRequest } from '#shared/tools/pages/schema.ts'
import type { HasPages } from '#shared/tools/pages/summarize.ts'

/** Returns the answer if the request's payment is valid. */
export type Sell = <Answer>(
  ctx: Pick<RequestContext<unknown>, 'log' | 'request' | 'seed'>,
  order: { path: string; body: unknown; work(): Promise<Answer> },
) => Promise<{ answer: Answer; headers: Record<string, string> }>

export type Services = HasPages & {
  /** Undefined if pages are free. */
  sell?: Sell
}

export const route = routesWith<Services>()

/** The properties that the routes share. Each route adds `path` and `response`. */
export const common = {
  method: 'POST',
  tag: 'pages',
  guard: 'none',
  open: { kind: 'pages', most: 10, what: 'pages' },
  headers: {
    'payment-signature':
      'The payment if pages have a price: x402 version 2, scheme exact. Without it, a 402 response contains the terms',
  },
  body: pageRequest,
  notAudited: 'the payer is not a user; the payment is recorded on the chain and in the table',
  errors: ['bad-request', 'payment-required', 'conflict', 'internal', 'bad-gateway', 'unavailable'],
  codes: ['PAYMENT_INVALID', 'PAYMENT_USED'],
} as const

/** Does the work of a page route. If pages have a price, sells the answer, except to agents. */
export async function answered<Answer>(
  ctx: Services & RequestContext<PublicActor | ProvenAgentActor>,
  order: { path: string; body: unknown; work(): Promise<Answer> },
): Promise<Answer | Response> {
  if (ctx.sell === undefined || ctx.actor.type === 'proven-agent') return order.work()
  const { answer, headers } = await ctx.sell(ctx, order)
  return Response.json(answer, { headers })
}

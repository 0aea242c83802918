import { type RequestContext, routesWith } from '../../shared/http/route.ts'
import { extractPage } from '../../shared/pages/extract.ts'
import { pageExtraction, pageRequest, pageSummary } from '../../shared/pages/schema.ts'
import { type PagesContext, summarizePage } from '../../shared/pages/summarize.ts'

/** Sells an answer for the payment that a request shows. */
export type Sell = <Answer>(
  ctx: Pick<RequestContext<unknown>, 'log' | 'request' | 'seed'>,
  order: { path: string; body: unknown; work(): Promise<Answer> },
) => Promise<{ answer: Answer; headers: Record<string, string> }>

export interface PageServices extends PagesContext {
  /** Absent where pages are free of charge. */
  sell?: Sell
}

const route = routesWith<PageServices>()

/** The same of both; `path` and `schema` are the route's own. */
const common = {
  method: 'POST',
  tag: 'pages',
  guard: 'none',
  headers: {
    'payment-signature':
      'Where pages cost something: the payment, x402 version 2, scheme exact. Without it, 402 says what is asked for',
  },
  body: pageRequest,
  notAudited: 'a payer is no user; the payment stands on the chain, and its claim in the table',
  errors: ['bad-request', 'payment-required', 'conflict', 'internal', 'bad-gateway', 'unavailable'],
  codes: ['PAYMENT_INVALID', 'PAYMENT_USED'],
} as const

async function answered<Answer>(
  ctx: PageServices & RequestContext<unknown>,
  order: { path: string; body: unknown; work(): Promise<Answer> },
): Promise<Answer | Response> {
  if (ctx.sell === undefined) return order.work()
  const { answer, headers } = await ctx.sell(ctx, order)
  return Response.json(answer, { headers })
}

export const pageRoutes = [
  route({
    ...common,
    name: 'pages.summarize',
    path: '/api/summarize',
    summary: 'What a page is about: title, description, headings, paragraphs, words',
    response: pageSummary,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/summarize', body, work: () => summarizePage(ctx, body) }),
  }),

  route({
    ...common,
    name: 'pages.extract',
    path: '/api/extract',
    summary: 'What a page leads to and shows: links, images, meta tags',
    response: pageExtraction,
    handle: (ctx, { body }) =>
      answered(ctx, { path: '/api/extract', body, work: () => extractPage(ctx, body) }),
  }),
]

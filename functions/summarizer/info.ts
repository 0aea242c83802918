import * as z from 'zod'
import { type Route, routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { type HasLooks, ready } from '../common/ready.ts'

/** The version of the API, which increases when the format of a response changes. */
export const version = '1.0.0'

export type Services = HasLooks & { payment: { payTo: string | null; price: string | null } }

export const routes: readonly Route<Services>[] = [
  routesWith<Services>()({
    name: 'service.describe',
    method: 'GET',
    path: '/',
    summary: 'Describe the service',
    tag: 'service',
    guard: 'none',
    unlimited: 'document',
    response: z.object({
      service: z.string(),
      description: z.string(),
      endpoints: z.record(z.string(), z.string()),
      payment: z.object({
        network: z.string(),
        currency: z.string(),
        payTo: z.string().nullable(),
        note: z.string(),
      }),
    }),
    errors: [],
    handle: ({ payment: { payTo, price } }) => ({
      service: 'web-summarizer',
      description:
        'Reads a web page and returns its outline, its links and images, or its article.',
      endpoints: {
        'POST /api/summarize': 'The summary of a page: {url}',
        'POST /api/extract': 'The links, images and meta tags of a page: {url}',
        'POST /api/read': 'The article of a page as Markdown: {url}',
        'GET /': 'This description',
        'GET /health': 'Health and version',
      },
      payment: {
        network: 'base',
        currency: 'USDC',
        payTo,
        note:
          price === null
            ? 'Free of charge.'
            : `US$${price} per page, paid by x402 (version 2, scheme exact).`,
      },
    }),
  }),

  routesWith<object>()({
    name: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'Get health and version',
    tag: 'health',
    guard: 'none',
    unlimited: 'health',
    response: z.object({ status: z.literal('ok'), service: z.string(), version: z.string() }),
    errors: [],
    handle: () => ({ status: 'ok' as const, service: 'web-summarizer', version }),
  }),

  ready,
]

/** Needs only its settings, so it is always ready. */
export function wire(config: ConfigOf<'summarizer-info'>): Wiring<Services> {
  const price = config.SUMMARIZER_PRICE_USD ?? null
  const payTo = price === null ? null : (config.X402_PAY_TO ?? null)
  return { services: { looks: {}, payment: { payTo, price } } }
}

import type { Wiring } from '../../shared/http/wiring.ts'
import { type Route, routesWith } from '../../shared/http/route.ts'
import { ready, type ReadyServices } from '../common/ready.ts'
import * as z from 'zod'

/** What callers may rely on; raised when an answer's shape changes. */
export const version = '1.0.0'

export const routes: readonly Route<ReadyServices>[] = [
  routesWith<object>()({
    name: 'service.describe',
    method: 'GET',
    path: '/',
    summary: 'What this service does and where',
    tag: 'service',
    guard: 'none',
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
    handle: () => ({
      service: 'web-summarizer',
      description: 'Reads a web page and answers with its outline, its links and its images.',
      endpoints: {
        'GET /': 'This description',
        'GET /health': 'Health and version',
      },
      payment: {
        network: 'base',
        currency: 'USDC',
        // The service charges nothing, so there is no address to pay to.
        payTo: null,
        note: 'Free of charge; no payment is asked for.',
      },
    }),
  }),

  routesWith<object>()({
    name: 'health.get',
    method: 'GET',
    path: '/health',
    summary: 'Health and version',
    tag: 'health',
    guard: 'none',
    response: z.object({ status: z.literal('ok'), service: z.string(), version: z.string() }),
    errors: [],
    handle: () => ({ status: 'ok' as const, service: 'web-summarizer', version }),
  }),

  ready,
]

/** It stands on nothing, so there is nothing to wait for. */
export function wire(): Wiring<ReadyServices> {
  return { services: { looks: {} } }
}

import * as z from 'zod'
import { routesWith } from '../../../shared/http/route.ts'

/** What callers may rely on; raised when an answer's shape changes. */
export const version = '1.0.0'

export const service = routesWith<object>()({
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
})

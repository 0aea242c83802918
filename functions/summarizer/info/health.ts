import * as z from 'zod'
import { routesWith } from '../../../shared/http/route.ts'
import { version } from './service.ts'

export const health = routesWith<object>()({
  method: 'GET',
  path: '/health',
  summary: 'Health and version',
  tag: 'health',
  guard: 'none',
  response: z.object({ status: z.literal('ok'), service: z.string(), version: z.string() }),
  errors: [],
  handle: () => ({ status: 'ok' as const, service: 'web-summarizer', version }),
})

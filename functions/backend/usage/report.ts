import * as z from 'zod'
import { reportTools } from '../../../shared/usage/tools/report.ts'
import { callsOf, toolReport } from '../../../shared/usage/tools/schema.ts'
import { route } from './services.ts'

export const reportEvents = route({
  method: 'POST',
  path: '/api/usage/events',
  summary: 'Report tool calls, one or up to 100; once under one Idempotency-Key',
  tag: 'usage',
  guard: 'agent-or-internal',
  body: toolReport,
  status: 202,
  response: z.object({ success: z.literal(true), accepted: z.number() }),
  errors: ['bad-request', 'unauthorized', 'not-found', 'conflict', 'too-many-requests', 'internal'],
  idempotent: true,
  handle: async (context, { body }) => ({
    success: true as const,
    accepted: await reportTools(context, callsOf(body)),
  }),
})

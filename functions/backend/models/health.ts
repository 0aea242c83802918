import * as z from 'zod'
import { route } from './services.ts'

export const getHealth = route({
  method: 'GET',
  path: '/api/ai/health',
  summary: 'Which model providers answer; 503 with status error where none does',
  tag: 'ai',
  guard: 'internal',
  response: z.object({
    status: z.enum(['healthy', 'degraded']),
    providers: z.record(z.string(), z.boolean()),
    timestamp: z.string().describe('When they were asked'),
  }),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
  handle: ({ checkHealth }) => checkHealth(),
})

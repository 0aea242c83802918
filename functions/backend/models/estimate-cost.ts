import * as z from 'zod'
import { estimateCost } from '../../../shared/ai/models/estimate-cost.ts'
import { costQuestion } from '../../../shared/ai/models/schema.ts'
import { route } from './services.ts'

export const postEstimate = route({
  method: 'POST',
  path: '/api/ai/estimate-cost',
  summary: 'What a call of that many tokens would cost; null where nobody knows the price',
  tag: 'ai',
  guard: 'internal',
  body: costQuestion,
  response: z.object({
    model: z.string(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    estimatedCost: z.number().nullable(),
    currency: z.literal('USD'),
    timestamp: z.string(),
  }),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: async (context, { body }) => {
    const estimatedCost = await estimateCost(context, body)
    const timestamp = new Date().toISOString()
    return { ...body, estimatedCost, currency: 'USD' as const, timestamp }
  },
})

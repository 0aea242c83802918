import * as z from 'zod'
import { describeProvider } from '../../../shared/ai/models/describe.ts'
import { modelDescription } from '../../../shared/ai/models/schema.ts'
import { route } from './services.ts'

export const listProviderModels = route({
  method: 'GET',
  path: '/api/ai/models/:provider',
  summary: 'The models that one provider serves',
  tag: 'ai',
  guard: 'internal',
  params: z.object({ provider: z.string() }),
  response: z.object({
    provider: z.string(),
    models: z.array(modelDescription),
    count: z.number(),
    timestamp: z.string(),
  }),
  errors: [
    'bad-request',
    'unauthorized',
    'forbidden',
    'not-found',
    'too-many-requests',
    'unavailable',
  ],
  handle: async (context, { params: { provider } }) => {
    const models = await describeProvider(context, provider)
    return { provider, models, count: models.length, timestamp: new Date().toISOString() }
  },
})

import * as z from 'zod'
import { countByProvider } from '../../../shared/ai/models/count.ts'
import { describeModels } from '../../../shared/ai/models/describe.ts'
import { modelDescription } from '../../../shared/ai/models/schema.ts'
import { route } from './services.ts'

export const listModels = route({
  method: 'GET',
  path: '/api/ai/models',
  summary: 'Every model that can be asked for; the count of each provider stands under its name',
  tag: 'ai',
  guard: 'internal',
  response: z.looseObject({
    models: z.array(modelDescription),
    count: z.number(),
    timestamp: z.string(),
  }),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'too-many-requests', 'unavailable'],
  handle: async (context) => {
    const models = await describeModels(context)
    const counts = countByProvider(context.providers, models)
    const timestamp = new Date().toISOString()
    // What the shape names itself comes last: a provider may have any name.
    return { ...counts, models, count: models.length, timestamp }
  },
})

import * as z from 'zod'
import { availableModels } from '../../../shared/ai/models/describe.ts'
import { modelDescription } from '../../../shared/ai/models/schema.ts'
import { route } from './services.ts'

const model = modelDescription.pick({
  id: true,
  name: true,
  provider: true,
  contextWindow: true,
  inputCost: true,
  outputCost: true,
})

export const getModels = route({
  method: 'GET',
  path: '/api/models',
  summary: 'The models that the providers have now',
  tag: 'demo',
  guard: 'none',
  response: z.object({ models: z.array(model), count: z.number() }),
  errors: ['unavailable'],
  handle: async (context) => {
    const models = await availableModels(context)
    return { models, count: models.length }
  },
})

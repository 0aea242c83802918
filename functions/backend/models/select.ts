import * as z from 'zod'
import { modelQuestion } from '../../../shared/ai/models/schema.ts'
import { selectModel } from '../../../shared/ai/models/select.ts'
import { route } from './services.ts'

export const postSelect = route({
  method: 'POST',
  path: '/api/ai/models/select',
  summary: 'The model that a call for this kind of task would begin with',
  tag: 'ai',
  guard: 'internal',
  body: modelQuestion,
  bodyOptional: true,
  response: z.object({
    model: z.object({ id: z.string(), provider: z.string() }),
    taskType: z.string(),
    timestamp: z.string(),
  }),
  errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
  handle: async (context, { body: { taskType } }) => {
    const { id, provider } = await selectModel(context, taskType)
    const timestamp = new Date().toISOString()
    return { model: { id, provider: provider.name }, taskType, timestamp }
  },
})

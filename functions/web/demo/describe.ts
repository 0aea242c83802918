import * as z from 'zod'
import { listDemoModels } from '../../../shared/demo/list.ts'
import { route } from './services.ts'

export const getDemoChat = route({
  method: 'GET',
  path: '/api/demo/chat',
  summary: 'The models that may be asked without an account, the default first',
  tag: 'demo',
  guard: 'none',
  response: z.object({
    models: z.array(z.object({ id: z.string(), name: z.string(), provider: z.string() })),
    mode: z.literal('demo'),
    message: z.string(),
  }),
  errors: ['unavailable'],
  handle: ({ providers }) => ({
    models: listDemoModels(providers),
    mode: 'demo' as const,
    message: 'POST {"message"} to talk to one of these models. Sign up to run agents of your own.',
  }),
})

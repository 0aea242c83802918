import * as z from 'zod'
import { deleteKey as remove } from '../../../shared/keys/delete.ts'
import { keyParams } from '../../../shared/keys/schema.ts'
import { route } from './services.ts'

export const deleteKey = route({
  method: 'DELETE',
  path: '/api/keys/:id',
  summary: 'Delete an API key, which opens nothing from then on',
  tag: 'keys',
  guard: 'session',
  params: keyParams,
  response: z.object({ success: z.literal(true) }),
  errors: ['unauthorized', 'not-found'],
  handle: async ({ table, actor }, { params }) => {
    await remove(table, actor.user.id, params.id)
    return { success: true as const }
  },
})

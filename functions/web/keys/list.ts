import * as z from 'zod'
import { keysOf } from '../../../shared/keys/key.ts'
import { shownKey } from '../../../shared/keys/schema.ts'
import { route } from './services.ts'

export const listKeys = route({
  method: 'GET',
  path: '/api/keys',
  summary: "The caller's API keys, newest first",
  tag: 'keys',
  guard: 'session',
  response: z.object({ keys: z.array(shownKey) }),
  errors: ['unauthorized'],
  handle: async ({ table, actor }) => ({ keys: await keysOf(table, actor.user.id) }),
})

import * as z from 'zod'
import { sessionUser } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const getSession = route({
  method: 'GET',
  path: '/api/auth/session',
  summary: 'Who is signed in, if anyone',
  tag: 'accounts',
  guard: 'optional-session',
  response: z.object({ user: sessionUser.nullable() }),
  errors: [],
  handle: ({ actor }) => ({ user: actor.type === 'user' ? actor.user : null }),
})

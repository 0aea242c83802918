import * as z from 'zod'
import { login } from '../../../shared/accounts/login.ts'
import { credentials } from '../../../shared/accounts/schema.ts'
import { setSession } from './cookie.ts'
import { route } from './services.ts'

const response = z.object({
  ok: z.literal(true),
  user: z.object({ id: z.string(), name: z.string() }),
})

export const signIn = route({
  method: 'POST',
  path: '/api/auth/login',
  summary: 'Sign in by email and password',
  tag: 'accounts',
  guard: 'none',
  body: credentials,
  response,
  errors: ['bad-request', 'unauthorized', 'too-many-requests', 'internal'],
  handle: async (context, { body }) => {
    const { user, session } = await login(context, body)
    const answer: z.input<typeof response> = { ok: true, user }
    return Response.json(answer, {
      headers: { 'set-cookie': setSession(session, context.webUrl) },
    })
  },
})

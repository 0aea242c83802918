import * as z from 'zod'
import { refuseBots } from '../../../shared/accounts/bot-detection.ts'
import { register } from '../../../shared/accounts/register.ts'
import { registration } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const registerUser = route({
  method: 'POST',
  path: '/api/register',
  summary: 'Make a user',
  tag: 'accounts',
  guard: 'none',
  body: registration,
  response: z.object({ id: z.string(), email: z.string(), name: z.string() }),
  errors: ['bad-request', 'forbidden', 'conflict', 'too-many-requests'],
  handle: async (context, { body }) => {
    const userAgent = context.request.headers.get('user-agent') ?? undefined
    await refuseBots(context.bots, { userAgent, honeypot: body.website })
    return register(context, body)
  },
})

import * as z from 'zod'
import { refuseBots } from '../../../shared/accounts/bot-detection.ts'
import { resetRequest } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const forgotPassword = route({
  method: 'POST',
  path: '/api/auth/forgot-password',
  summary: 'Ask for a link that sets a new password',
  tag: 'accounts',
  guard: 'none',
  body: resetRequest,
  response: z.object({ message: z.string() }),
  errors: ['bad-request', 'forbidden', 'too-many-requests', 'internal'],
  handle: async ({ bots, queues, request }, { body }) => {
    const userAgent = request.headers.get('user-agent') ?? undefined
    await refuseBots(bots, { userAgent, honeypot: body.website })
    // Nothing here looks the account up: its existence can show neither in the answer nor in the time it takes.
    await queues.send('password-resets', { email: body.email })
    return { message: 'If there is an account with this email, a link is on its way to it' }
  },
})

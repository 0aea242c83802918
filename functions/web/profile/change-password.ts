import * as z from 'zod'
import { changePassword } from '../../../shared/accounts/change-password.ts'
import { passwordChange } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const changeOwnPassword = route({
  method: 'POST',
  path: '/api/settings/password',
  summary: 'Change the password and sign every other device out',
  tag: 'accounts',
  guard: 'session',
  body: passwordChange,
  response: z.object({ success: z.literal(true) }),
  errors: ['bad-request', 'unauthorized', 'not-found', 'too-many-requests'],
  handle: async (context, { body }) => {
    const { id: userId, sessionHash } = context.actor.user
    await changePassword({ ...context, userId, sessionHash }, body)
    return { success: true as const }
  },
})

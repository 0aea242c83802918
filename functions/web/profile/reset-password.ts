import * as z from 'zod'
import { resetPassword } from '../../../shared/accounts/reset-password.ts'
import { passwordReset } from '../../../shared/accounts/schema.ts'
import { route } from './services.ts'

export const resetForgottenPassword = route({
  method: 'POST',
  path: '/api/auth/reset-password',
  summary: 'Set a new password by the link that was mailed',
  tag: 'accounts',
  guard: 'none',
  body: passwordReset,
  response: z.object({ message: z.string() }),
  errors: ['bad-request', 'too-many-requests'],
  handle: async (context, { body }) => {
    await resetPassword(context, body)
    return { message: 'The password was changed' }
  },
})

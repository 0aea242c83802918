import * as z from 'zod'
import { verifyEmail } from '../../../shared/accounts/verify-email.ts'
import { route } from './services.ts'

export const openVerificationLink = route({
  method: 'GET',
  path: '/api/auth/verify-email',
  summary: 'Confirm an email address by the link that was sent to it',
  tag: 'accounts',
  guard: 'none',
  query: z.object({ token: z.string().default('') }),
  status: 302,
  response: z.null(),
  errors: [],
  handle: async (context, { query }) => {
    const verified = await verifyEmail(context, query.token)
    const location = `${context.webUrl}/login?${verified ? 'verified=1' : 'error=VerifyFailed'}`
    return new Response(null, { status: 302, headers: { location } })
  },
})

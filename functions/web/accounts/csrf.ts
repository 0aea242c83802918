import * as z from 'zod'
import { csrfToken } from '../../../shared/http/guards/csrf.ts'
import { sessionCookies } from '../../../shared/http/guards/session-cookie.ts'
import { PlatformError } from '../../../shared/platform/errors.ts'
import { route } from './services.ts'

export const getCsrfToken = route({
  method: 'GET',
  path: '/api/auth/csrf',
  summary: 'The token that requests from another site must carry',
  tag: 'accounts',
  guard: 'session',
  response: z.object({ token: z.string() }),
  errors: ['unauthorized'],
  handle: async ({ request }) => {
    const [session, ...others] = sessionCookies(request)
    // A caller with a key and no cookie has no session that another site could use; among several none is vouched for.
    if (session === undefined || others.length > 0)
      throw new PlatformError('unauthorized', 'No session')
    return { token: await csrfToken(session) }
  },
})

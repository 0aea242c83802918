import { parse } from 'hono/utils/cookie'
import * as z from 'zod'
import { sessionCookie } from '../../../shared/http/guards/check.ts'
import { csrfToken } from '../../../shared/http/guards/csrf.ts'
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
    const session = parse(request.headers.get('cookie') ?? '', sessionCookie)[sessionCookie]
    // A caller with a key and no cookie has no session that another site could use.
    if (session === undefined) throw new PlatformError('unauthorized', 'No session')
    return { token: await csrfToken(session) }
  },
})

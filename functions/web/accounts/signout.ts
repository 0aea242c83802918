import * as z from 'zod'
import { endSession } from '../../../shared/accounts/session.ts'
import { sessionCookies } from '../../../shared/http/guards/session-cookie.ts'
import { clearSession } from './cookie.ts'
import { route } from './services.ts'

const response = z.object({ ok: z.literal(true) })

export const signOut = route({
  method: 'POST',
  path: '/api/auth/signout',
  summary: 'End the session, if there is one',
  tag: 'accounts',
  guard: 'none',
  crossSite: true,
  response,
  errors: [],
  handle: async ({ table, request, webUrl }) => {
    await Promise.all(sessionCookies(request).map((session) => endSession(table, session)))
    const answer: z.input<typeof response> = { ok: true }
    return Response.json(answer, { headers: { 'set-cookie': clearSession(webUrl) } })
  },
})

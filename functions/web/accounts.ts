import * as z from 'zod'
import {
  endProgramSession,
  isGrantId,
  programSessions,
} from '#shared/accounts/users/grants/sessions.ts'
import { login } from '#shared/accounts/users/login.ts'
import { bcryptPasswords, type HasPasswords } from '#shared/accounts/users/password.ts'
import { credentials, sessionUser, signedIn } from '#shared/accounts/users/schema.ts'
import { endSession } from '#shared/accounts/users/session.ts'
import {
  browserSessions,
  endBrowserSession,
  shownSession,
} from '#shared/accounts/users/sessions.ts'
import { csrfToken } from '#shared/http/guards/csrf.ts'
import { sessionCookies } from '#shared/http/guards/session-cookie.ts'
import { routesWith } from '#shared/http/route.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userGroup } from '../common/user-group.ts'
import { setSession, clearSession } from './accounts/cookie.ts'
import { deviceOf } from './accounts/device.ts'
import { browserOf, rememberBrowser } from './accounts/known-browser.ts'

export type Services = Pick<Context, 'table'> &
  Can<'encryptionKey' | 'webUrl'> &
  HasPasswords & {
    /** False only for load tests on one machine. */
    lockouts: boolean
  }

const signedOut = z.object({ ok: z.literal(true) })

const route = routesWith<Services>()

export const routes = [
  route({
    name: 'auth.signIn',
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in with email and password',
    tag: 'accounts',
    guard: 'none',
    body: credentials,
    response: signedIn,
    errors: ['bad-request', 'unauthorized', 'too-many-requests', 'internal', 'unavailable'],
    notAudited: 'starts a session without new access; failures are counted per account',
    handle: async (context, { body }) => {
      const { user, session } = await login(
        { ...context, device: deviceOf(context), browser: browserOf(context) },
        body,
      )
      const answer: z.input<typeof signedIn> = { ok: true, user }
      const cookies = [setSession(session, context.webUrl)]
      cookies.push(...(await rememberBrowser(context, user.id)))
      return Response.json(answer, { headers: cookies.map((each) => ['set-cookie', each]) })
    },
  }),

  route({
    name: 'auth.session',
    method: 'GET',
    path: '/api/auth/session',
    summary: 'Get the current session',
    tag: 'accounts',
    guard: 'optional-session',
    scope: 'any',
    response: z.object({ user: sessionUser.nullable() }),
    errors: [],
    handle: ({ actor }) => {
      if (actor.type !== 'user') return { user: null }
      const { scopes } = actor.user
      // Clients with a key or a token read their scopes here.
      const headers = scopes === undefined ? {} : { 'x-oauth-scopes': scopes.join(' ') }
      return Response.json({ user: sessionUser.parse(actor.user) }, { headers })
    },
  }),

  route({
    name: 'auth.signOut',
    method: 'POST',
    path: '/api/auth/signout',
    summary: 'Sign out',
    tag: 'accounts',
    guard: 'none',
    crossSite: true,
    response: signedOut,
    errors: [],
    notAudited: 'ends only the caller’s own session',
    handle: async ({ table, request, webUrl }) => {
      await Promise.all(
        sessionCookies(request).map((session) => endSession({ table }, { cookie: session })),
      )
      const answer: z.input<typeof signedOut> = { ok: true }
      return Response.json(answer, { headers: { 'set-cookie': clearSession(webUrl) } })
    },
  }),

  route({
    name: 'auth.listSessions',
    method: 'GET',
    path: '/api/auth/sessions',
    summary: 'List sessions',
    description: 'Newest first.',
    tag: 'accounts',
    guard: 'own-session',
    response: z.object({ sessions: z.array(shownSession) }),
    errors: ['unauthorized', 'forbidden'],
    handle: async (context) => ({
      sessions: [...(await browserSessions(context)), ...(await programSessions(context))].sort(
        (a, b) => (a.createdAt < b.createdAt ? 1 : -1),
      ),
    }),
  }),

  route({
    name: 'auth.endSession',
    method: 'DELETE',
    path: '/api/auth/sessions/:id',
    summary: 'Delete a session',
    tag: 'accounts',
    guard: 'own-session',
    params: z.object({ id: z.string() }),
    response: z.object({ success: z.literal(true) }),
    errors: ['unauthorized', 'forbidden', 'not-found'],
    notAudited: 'ends one session, like signing out',
    handle: async (context, { params }) => {
      const own = isGrantId(params.id) ? false : await endBrowserSession(context, params)
      if (isGrantId(params.id)) await endProgramSession(context, params)
      const headers = own ? { 'set-cookie': clearSession(context.webUrl) } : {}
      return Response.json({ success: true as const }, { headers })
    },
  }),

  route({
    name: 'auth.csrfToken',
    method: 'GET',
    path: '/api/auth/csrf',
    summary: 'Get a CSRF token',
    description: 'Requests from another site must send this token.',
    tag: 'accounts',
    guard: 'session',
    response: z.object({ token: z.string() }),
    errors: ['unauthorized'],
    handle: async ({ request }) => {
      const [session, ...others] = sessionCookies(request)
      // A caller with a key and without a cookie has no session to protect. With several sessions, the token of one
      // would not protect the others.
      if (session === undefined || others.length > 0)
        throw new PlatformError('unauthorized', 'No session')
      return { token: await csrfToken(session) }
    },
  }),
]

export function wire(config: ConfigOf<'web-accounts'>) {
  return userGroup<Services>(config, (table) => ({
    table,
    passwords: bcryptPasswords(),
    encryptionKey: config.WALLET_ENCRYPTION_KEY,
    webUrl: config.WEB_URL,
    lockouts: config.deployed || config.RATE_LIMITS === 'on',
  }))
}

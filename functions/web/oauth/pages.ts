import { html } from 'hono/html'
import * as z from 'zod'
import { plainPage, wantsPage } from '#functions/common/plain-page.ts'
import { checkAuthorization, storeRequest } from '#shared/accounts/oauth/authorize.ts'
import { decideRequest, findRequest } from '#shared/accounts/oauth/decide-request.ts'
import { decideDevice, findDevice } from '#shared/accounts/oauth/device-decide.ts'
import { hostOf } from '#shared/accounts/oauth/redirect.ts'
import {
  deviceDecision,
  requestDecision,
  shownDevice,
  shownRequest,
} from '#shared/accounts/oauth/schema.ts'
import { scopesOfRow } from '#shared/accounts/users/stored-scopes.ts'
import { routesWith } from '#shared/http/route.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { fieldsOf } from './form.ts'
import type { Services as OAuthServices } from './programs.ts'

const route = routesWith<OAuthServices>()

const parameter = z.string().optional()

const requestParams = z.object({ id: z.string() })

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location } })
}

/** The requests of the consent page. */
export const pages = [
  route({
    name: 'oauth.authorize',
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Start an OAuth authorization',
    description: 'Redirects the user to the consent page. Requires PKCE with S256.',
    tag: 'oauth',
    guard: 'optional-session',
    scope: 'any',
    query: z.object({
      response_type: parameter,
      client_id: parameter,
      redirect_uri: parameter,
      scope: parameter,
      state: parameter,
      code_challenge: parameter,
      code_challenge_method: parameter,
      resource: parameter,
    }),
    errorForm: 'oauth',
    status: 302,
    response: z.null(),
    errors: ['bad-request'],
    codes: [
      'invalid_client',
      'invalid_request',
      'invalid_scope',
      'invalid_target',
      'unsupported_response_type',
    ],
    handle: async (context) => {
      const { actor, request, webUrl } = context
      const { pathname, search, searchParams } = new URL(request.url)
      const signedIn = actor.type === 'user' && actor.via === 'session'
      try {
        const parameters = fieldsOf(searchParams)
        const checked = await checkAuthorization({ ...context, signedIn }, parameters)
        if ('redirectTo' in checked) return redirect(checked.redirectTo)
        if (!signedIn)
          return redirect(`${webUrl}/login?next=${encodeURIComponent(pathname + search)}`)
        const id = await storeRequest({ ...context, actor }, checked.request)
        return redirect(`${webUrl}/connect?request=${id}`)
      } catch (error) {
        return refusal(request, error)
      }
    },
  }),

  route({
    name: 'oauth.getRequest',
    method: 'GET',
    path: '/oauth/requests/:id',
    summary: 'Get an authorization request',
    tag: 'oauth',
    guard: 'own-session',
    params: requestParams,
    response: shownRequest,
    errors: ['unauthorized', 'forbidden', 'not-found'],
    handle: async (context, { params }) => {
      const oauthRequest = await findRequest(context, params)
      const { clientName, redirectUri } = oauthRequest
      return { clientName, scopes: scopesOfRow(oauthRequest), redirectHost: hostOf(redirectUri) }
    },
  }),

  route({
    name: 'oauth.decideRequest',
    method: 'POST',
    path: '/oauth/requests/:id',
    summary: 'Approve or deny an authorization request',
    tag: 'oauth',
    guard: 'own-session',
    params: requestParams,
    body: requestDecision,
    response: z.object({ redirectTo: z.string() }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found'],
    audits: ['key.created'],
    handle: async (context, { params, body }) => ({
      redirectTo: await decideRequest(context, { ...params, ...body, ...context }),
    }),
  }),

  route({
    name: 'oauth.getDevice',
    method: 'GET',
    path: '/oauth/device',
    summary: 'Get a device authorization by its user code',
    tag: 'oauth',
    guard: 'own-session',
    query: z.object({ user_code: z.string({ error: 'user_code required' }).max(64) }),
    response: shownDevice,
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    handle: async (context, { query }) => {
      const device = await findDevice(context, { userCode: query.user_code })
      return { ...device, scopes: scopesOfRow(device), expiresAt: device.validUntil }
    },
  }),

  route({
    name: 'oauth.decideDevice',
    method: 'POST',
    path: '/oauth/device',
    summary: 'Approve or deny a device authorization',
    tag: 'oauth',
    guard: 'own-session',
    body: deviceDecision,
    response: z.object({ approved: z.boolean() }),
    errors: ['bad-request', 'unauthorized', 'forbidden', 'not-found', 'too-many-requests'],
    audits: ['key.created'],
    handle: async (context, { body }) => {
      await decideDevice(context, body)
      return { approved: body.approve }
    },
  }),
]

/**
 * Returns an error as a page if a browser asked for one. The page has no links and no text from the client.
 * @throws the error itself if no page was asked for or the error is unexpected
 */
async function refusal(request: Request, error: unknown): Promise<Response> {
  const isRefusal = error instanceof PlatformError && error.kind === 'bad-request'
  if (!wantsPage(request) || !isRefusal) throw error
  const words = html`<p>The authorization request is invalid: ${error.message} (${error.code}).</p>
    <p>No access was granted. You can close this page and contact the program’s developer.</p>`
  return plainPage(400, 'Access denied', words)
}

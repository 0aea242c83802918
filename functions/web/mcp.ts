import * as z from 'zod'
import { routesWith } from '#shared/http/route.ts'
import type { Wiring } from '#shared/http/wiring.ts'
import type { ConfigOf } from '#shared/platform/config/granted.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import { platformServer } from '#shared/tools/mcp/server.ts'
import { toolsFor } from '#shared/tools/mcp/tools.ts'
import { jsonRpcAnswer, jsonRpcMessage, serveMcp } from '../common/mcp.ts'
import { apiOf, type ApiCaller, callApi } from './mcp/api.ts'

export type Services = Can<'webUrl'> & { originSecret: string | undefined }

export const routes = [
  routesWith<Services>()({
    name: 'mcp.call',
    method: 'POST',
    path: '/mcp',
    summary: 'Call the MCP server',
    description:
      'Exposes the caller’s agents as tools. The bearer is an API key or an access token.',
    tag: 'mcp',
    guard: 'none',
    // This function has no table. The session route, which it calls first, counts the request.
    unlimited: 'forwarded',
    query: z.object({
      read_only: z.enum(['0', '1']).optional().describe('1 hides the tools that change data'),
    }),
    headers: { authorization: 'Bearer with an API key or an access token' },
    body: jsonRpcMessage,
    response: jsonRpcAnswer,
    events: { message: jsonRpcAnswer },
    errorForm: 'json-rpc',
    errors: [
      'bad-request',
      'unauthorized',
      'forbidden',
      'too-many-requests',
      'payload-too-large',
      'bad-gateway',
    ],
    notAudited: 'calls routes that are audited themselves',
    handle: async (context, { query, body }) => {
      const { request, ip, log, webUrl, originSecret } = context
      checkOrigin(request, webUrl)
      const authorization = request.headers.get('authorization') ?? ''
      const caller = { webUrl, originSecret, authorization, ip }
      const scopes = await scopesOf(caller)
      const tools = toolsFor({ readOnly: query.read_only === '1', scopes })
      const onFailure = (tool: string, error: unknown) =>
        log.error('a tool failed', { tool, error })
      return serveMcp({
        request,
        message: body,
        log,
        server: () => platformServer({ tools, ask: apiOf(caller), onFailure }),
      })
    },
  }),
]

/**
 * The MCP specification requires this check, so that a page of another site cannot use a browser to call the server.
 * @throws PlatformError 403
 */
function checkOrigin({ headers }: Request, webUrl: string): void {
  const origin = headers.get('origin')
  if (origin !== null && origin !== new URL(webUrl).origin)
    throw new PlatformError('forbidden', 'The request comes from another site')
}

/**
 * Returns the scopes of the caller's key or token.
 * @throws PlatformError 401 without a valid credential
 */
async function scopesOf(caller: ApiCaller): Promise<string[]> {
  const { authorization, webUrl } = caller
  const metadata = `resource_metadata="${webUrl}/.well-known/oauth-protected-resource/mcp"`
  const refuse = (detail = '') =>
    new PlatformError('unauthorized', 'An API key or an access token is required as bearer', {
      headers: { 'WWW-Authenticate': `Bearer ${metadata}${detail}` },
    })
  const hasBearer = /^Bearer +\S+$/i.test(authorization)
  // Called even for callers without a bearer token, because it counts them.
  const answer = await callApi(caller, { method: 'GET', path: '/api/auth/session' })
  if (answer.status === 429)
    throw new PlatformError('too-many-requests', 'Too many requests', {
      headers: { 'Retry-After': answer.headers.get('retry-after') ?? '60' },
    })
  if (!answer.ok) throw new PlatformError('bad-gateway', 'The platform could not be reached')
  const { user } = (await answer.json()) as { user: unknown }
  if (user === null || !hasBearer) throw refuse(hasBearer ? ', error="invalid_token"' : '')
  return (answer.headers.get('x-oauth-scopes') ?? '').split(' ')
}

export function wire(config: ConfigOf<'web-mcp'>): Wiring<Services> {
  return { services: { webUrl: config.WEB_URL, originSecret: config.ORIGIN_SECRET } }
}

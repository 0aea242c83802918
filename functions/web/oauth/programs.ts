import * as z from 'zod'
import { registerClient } from '#shared/accounts/oauth/clients.ts'
import { beginDevice, deviceSeconds } from '#shared/accounts/oauth/device-begin.ts'
import { oauthError } from '#shared/accounts/oauth/errors.ts'
import { exchangeCode } from '#shared/accounts/oauth/exchange-code.ts'
import { exchangeDevice } from '#shared/accounts/oauth/exchange-device.ts'
import type { SignInWays } from '#shared/accounts/oauth/metadata.ts'
import { grantTypes } from '#shared/accounts/oauth/metadata.ts'
import { refreshTokens } from '#shared/accounts/oauth/refresh.ts'
import { revokeToken } from '#shared/accounts/oauth/revoke.ts'
import {
  clientMetadata,
  deviceAnswer,
  registeredClient,
  tokenAnswer,
} from '#shared/accounts/oauth/schema.ts'
import { routesWith } from '#shared/http/route.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { readForm } from './form.ts'

export type Services = Pick<Context, 'table'> &
  Can<'webUrl'> & {
    /** The URL of the backend, where clients call models. */
    backendUrl: string
    signInWays: SignInWays
  }

const route = routesWith<Services>({ limits: [{ scope: 'oauth', perMinute: 120 }] })

const form = {
  method: 'POST',
  tag: 'oauth',
  guard: 'none',
  rawBody: 'application/x-www-form-urlencoded',
  errorForm: 'oauth',
} as const

/** The requests of OAuth clients, which have no secret and no session. */
export const programs = [
  route({
    name: 'oauth.register',
    method: 'POST',
    path: '/oauth/register',
    summary: 'Register an OAuth client (RFC 7591)',
    tag: 'oauth',
    guard: 'none',
    limits: [{ scope: 'oauth-register', perMinute: 20 }],
    body: clientMetadata,
    // RFC 7591, 3.2.2.
    formCode: (field) =>
      field === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    errorForm: 'oauth',
    status: 201,
    response: registeredClient,
    errors: ['bad-request', 'too-many-requests'],
    codes: ['invalid_client_metadata', 'invalid_redirect_uri'],
    notAudited: 'belongs to no user',
    handle: async (context, { body }) => {
      const { id, name, redirectUris, createdAt } = await registerClient(context, body)
      return {
        client_id: id,
        client_id_issued_at: epochSeconds(Date.parse(createdAt)),
        client_name: name,
        redirect_uris: redirectUris,
        grant_types: Object.values(grantTypes),
        response_types: ['code'],
        token_endpoint_auth_method: 'none' as const,
      }
    },
  }),

  route({
    ...form,
    name: 'oauth.deviceAuthorization',
    path: '/oauth/device_authorization',
    summary: 'Start a device authorization (RFC 8628)',
    response: deviceAnswer,
    errors: ['bad-request', 'unauthorized', 'too-many-requests'],
    codes: ['invalid_client', 'invalid_request', 'invalid_scope', 'invalid_target'],
    notAudited: 'creates codes, which give no access before the user approves',
    handle: async ({ table, request, ip, webUrl }) => {
      const userAgent = request.headers.get('user-agent') ?? undefined
      const input = { form: await readForm(request), userAgent, ip }
      const { deviceCode, device } = await beginDevice({ table, webUrl }, input)
      return {
        device_code: deviceCode,
        user_code: device.userCode,
        verification_uri: `${webUrl}/device`,
        verification_uri_complete: `${webUrl}/device?user_code=${device.userCode}`,
        expires_in: deviceSeconds,
        interval: device.interval,
      }
    },
  }),

  route({
    ...form,
    name: 'oauth.token',
    path: '/oauth/token',
    summary: 'Exchange a code, device code or refresh token for tokens',
    response: tokenAnswer,
    errors: ['bad-request', 'unauthorized', 'too-many-requests'],
    codes: [
      'access_denied',
      'authorization_pending',
      'expired_token',
      'invalid_client',
      'invalid_grant',
      'invalid_request',
      'invalid_scope',
      'invalid_target',
      'slow_down',
      'unsupported_grant_type',
    ],
    notAudited: 'executes what the user approved, which is audited',
    handle: async (context) => {
      const fields = await readForm(context.request)
      switch (fields.grant_type) {
        case grantTypes.code:
          return exchangeCode(context, fields)
        case grantTypes.device:
          return exchangeDevice(context, fields)
        case grantTypes.refresh:
          return refreshTokens(context, fields)
        case undefined:
          throw oauthError('invalid_request', 'grant_type required')
        default:
          throw oauthError('unsupported_grant_type', 'Unsupported grant_type')
      }
    },
  }),

  route({
    ...form,
    name: 'oauth.revoke',
    path: '/oauth/revoke',
    summary: 'Revoke a token (RFC 7009)',
    description: 'Revokes all tokens of the same grant.',
    response: z.object({}),
    errors: ['bad-request', 'too-many-requests'],
    codes: ['invalid_request'],
    notAudited: 'a client revokes its own token',
    handle: async (context) => {
      const fields = await readForm(context.request)
      if (fields.token === undefined) throw oauthError('invalid_request', 'token required')
      await revokeToken(context, fields)
      return {}
    },
  }),
]

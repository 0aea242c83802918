import * as oauth from 'openid-client'
import { PlatformError } from '#shared/platform/errors.ts'
import type { BoundedFetch } from '#shared/platform/http-client/fetch.ts'
import { connectionFetch } from '../address.ts'
import type { ConnectionSettings } from '../context.ts'
import type { SignInServer } from '../rows.ts'
import { openClientSecret } from './tokens.ts'

/**
 * Returns the library's client for an authorization server.
 * @throws PlatformError 409 if the client's secret cannot be decrypted, 503 without an encryption key
 */
export async function configurationOf(
  ctx: Pick<ConnectionSettings, 'allowed' | 'encryptionKey' | 'resolve'>,
  { agentId, name, server }: { agentId: string; name: string; server: SignInServer },
  fetch: BoundedFetch = connectionFetch(ctx),
): Promise<oauth.Configuration> {
  const { authMethod } = server
  const secret = await openClientSecret(ctx, { agentId, name }, server)
  if (authMethod !== 'none' && secret === undefined)
    throw new PlatformError('conflict', `${name} can no longer be decrypted: sign in again`)
  const metadata: oauth.ServerMetadata = {
    issuer: server.issuer,
    token_endpoint: server.tokenEndpoint,
    ...(server.authorizationEndpoint !== undefined && {
      authorization_endpoint: server.authorizationEndpoint,
    }),
    ...(server.revocationEndpoint !== undefined && {
      revocation_endpoint: server.revocationEndpoint,
    }),
    ...(server.sendsIssuer === true && { authorization_response_iss_parameter_supported: true }),
  }
  const configuration = new oauth.Configuration(
    metadata,
    server.clientId,
    undefined,
    proofOf(authMethod, secret ?? ''),
  )
  configuration[oauth.customFetch] = fetch as oauth.CustomFetch
  // Only hosts in FETCH_ALLOW_HOSTS may have http addresses; `fetch` refuses all others.
  oauth.allowInsecureRequests(configuration)
  return configuration
}

function proofOf(method: SignInServer['authMethod'], secret: string): oauth.ClientAuth {
  if (method === 'none') return oauth.None()
  return method === 'client_secret_post'
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret)
}

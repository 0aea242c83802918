import { PlatformError } from '#shared/platform/errors.ts'
import type { Can } from '#shared/platform/identity/capabilities.ts'
import type { Context, UserContext } from '#shared/platform/identity/context.ts'
import { newId } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { storedScopes } from '../users/stored-scopes.ts'
import { findClient } from './clients.ts'
import { oauthError } from './errors.ts'
import { isResource, mcpOf } from './metadata.ts'
import { isOwnMachine, isRegistered, withAnswer } from './redirect.ts'
import { type OAuthRequest, requestRows } from './rows.ts'
import { scopesOf } from './scope.ts'

/** The validity of a request in seconds: the user must answer before it expires. */
const requestSeconds = 600

/** The query of an authorization request: RFC 6749, 4.1.1. */
export type AuthorizationQuery = Readonly<Record<string, string | undefined>>

/** A valid request, or the redirect of its refusal. */
export type Checked = { request: Omit<OAuthRequest, 'id'> } | { redirectTo: string }

/**
 * Validates a program's authorization request. A refusal is sent back only to a program on the user's own machine,
 * and only after sign-in; every other refusal is shown by this server, which never redirects a user without their
 * consent.
 * @throws PlatformError 400
 */
export async function checkAuthorization(
  { table, webUrl, signedIn }: Pick<Context, 'table'> & Can<'webUrl'> & { signedIn: boolean },
  query: AuthorizationQuery,
): Promise<Checked> {
  const client = await findClient(table, query.client_id, 'bad-request')
  const redirectUri = query.redirect_uri ?? ''
  if (!isRegistered(redirectUri, client.redirectUris))
    throw oauthError('invalid_request', 'redirect_uri is not registered for this client')
  const { state } = query
  try {
    const challenge = checkForm(query, webUrl)
    const request = {
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      ...storedScopes(scopesOf(query.scope)),
      challenge,
      ...(state !== undefined && { state }),
    }
    return { request }
  } catch (error) {
    if (!(error instanceof PlatformError) || !signedIn || !isOwnMachine(redirectUri)) throw error
    const refusal = { error: error.code, error_description: error.message, state, iss: webUrl }
    return { redirectTo: withAnswer(redirectUri, refusal) }
  }
}

/** @returns the PKCE challenge */
function checkForm(query: AuthorizationQuery, webUrl: string): string {
  if (query.response_type !== 'code')
    throw oauthError('unsupported_response_type', 'response_type must be code')
  const { code_challenge: challenge = '', code_challenge_method: method } = query
  if (method !== 'S256' || !/^[\w-]{43}$/.test(challenge))
    throw oauthError('invalid_request', 'code_challenge with the method S256 is required')
  if ((query.state?.length ?? 0) > 1024)
    throw oauthError('invalid_request', 'state must have at most 1024 characters')
  checkResource(query.resource, webUrl)
  return challenge
}

/** RFC 8707. @throws PlatformError 400 invalid_target */
export function checkResource(resource: string | undefined, webUrl: string): void {
  if (resource !== undefined && !isResource(resource, webUrl))
    throw oauthError('invalid_target', `resource must be ${mcpOf(webUrl)} or ${webUrl}`)
}

/** Stores a request until its user answers. @returns its id */
export async function storeRequest(
  { table, actor }: Pick<UserContext, 'table' | 'actor'>,
  request: Omit<OAuthRequest, 'id'>,
): Promise<string> {
  const id = newId(requestRows.id)
  const expiresAt = epochSeconds() + requestSeconds
  const sk = requestRows.sk({ requestId: id })
  const row = requestRows.attributes({ id, ...request }, { expiresAt })
  await userStore(table, actor.user.id).put(sk, row)
  return id
}

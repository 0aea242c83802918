import type { ServerMetadata } from 'openid-client'
import * as z from 'zod'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { BoundedFetch } from '#shared/platform/http-client/fetch.ts'
import { once } from '#shared/platform/once.ts'
import { authMethods, type AuthMethod } from '../rows.ts'
import { clientDocumentUrl, clientMetadata } from './client-document.ts'
import { discoveryFailed } from './failure.ts'

/** The platform as a client of an authorization server. */
export interface RegisteredClient {
  clientId: string
  /** Undefined for a public client. */
  secret: string | undefined
  authMethod: AuthMethod
}

const registered = once(() =>
  z.object({
    client_id: z.string().min(1).max(2048),
    client_secret: z.string().min(1).max(4096).optional(),
    token_endpoint_auth_method: z.string().optional(),
  }),
)

/** A client that an owner has registered, in their own account at the server. */
export interface OwnClient {
  id: string
  secret?: string | undefined
}

/** @throws PlatformError 502 CONNECTION_DISCOVERY_FAILED if the server accepts the client in no known way */
export function ownClient(server: ServerMetadata, { id, secret }: OwnClient): RegisteredClient {
  if (secret === undefined) return { clientId: id, secret, authMethod: 'none' }
  return { clientId: id, secret, authMethod: methodOf(server, secretMethods) }
}

/**
 * Becomes a client of an authorization server: by the address of the platform's metadata if the server reads it,
 * otherwise by dynamic registration (RFC 7591).
 * @throws PlatformError 502 CONNECTION_DISCOVERY_FAILED
 */
export async function registerClient(
  fetch: BoundedFetch,
  server: ServerMetadata,
  webUrl: string,
): Promise<RegisteredClient> {
  // A document's address must be https, because the server reads it.
  if (server['client_id_metadata_document_supported'] === true && webUrl.startsWith('https:'))
    return { clientId: clientDocumentUrl(webUrl), secret: undefined, authMethod: 'none' }
  const endpoint = server.registration_endpoint
  if (endpoint === undefined)
    throw discoveryFailed('The authorization server does not let clients register themselves')
  const authMethod = methodOf(server, authMethods)
  const given = await register(fetch, endpoint, {
    ...clientMetadata(webUrl),
    token_endpoint_auth_method: authMethod,
  })
  const { client_id: clientId, client_secret: secret } = given
  const said = given.token_endpoint_auth_method ?? authMethod
  const method = authMethods.find((one) => one === said)
  if (method === undefined || (method !== 'none' && secret === undefined))
    throw discoveryFailed('The authorization server registered the platform in an unknown form')
  return { clientId, secret: method === 'none' ? undefined : secret, authMethod: method }
}

const secretMethods = authMethods.filter((method) => method !== 'none')

function methodOf(server: ServerMetadata, ways: readonly AuthMethod[]): AuthMethod {
  const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const method = ways.find((one) => offered.includes(one))
  if (method === undefined)
    throw discoveryFailed('The authorization server supports no way to authenticate the platform')
  return method
}

async function register(fetch: BoundedFetch, endpoint: string, metadata: object) {
  try {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(metadata),
    })
    const json: unknown = await answer.json().catch(() => undefined)
    const { data } = registered().safeParse(json)
    if ((answer.status === 200 || answer.status === 201) && data !== undefined) return data
    throw discoveryFailed(
      `The authorization server refused the registration with status ${answer.status}`,
    )
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    throw discoveryFailed('The authorization server did not answer the registration', error)
  }
}

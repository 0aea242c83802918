import type { ServerMetadata } from 'openid-client'
import * as z from 'zod'
import { HttpFailure } from '#shared/platform/http-client/failure.ts'
import type { BoundedFetch } from '#shared/platform/http-client/fetch.ts'
import { once } from '#shared/platform/once.ts'
import { discoveryFailed } from './failure.ts'
import { readJson } from './read-json.ts'

/** The sign-in that an MCP server requires. */
export interface Discovered {
  /** The parameter `resource` of RFC 8707. */
  resource: string
  /** Separated by spaces; undefined if the server names none. */
  scope: string | undefined
  server: ServerMetadata & { authorization_endpoint: string; token_endpoint: string }
}

const address = () => z.string().max(2048)
const names = () => z.array(z.string().max(200)).max(100)

const protectedResource = once(() =>
  z.object({
    resource: address(),
    authorization_servers: z.array(address()).default([]),
    scopes_supported: names().optional(),
  }),
)

const authorizationServer = once(() =>
  z.looseObject({
    issuer: address(),
    authorization_endpoint: address(),
    token_endpoint: address(),
    registration_endpoint: address().optional(),
    revocation_endpoint: address().optional(),
    code_challenge_methods_supported: names().optional(),
    token_endpoint_auth_methods_supported: names().optional(),
    scopes_supported: z.array(z.string()).optional(),
    client_id_metadata_document_supported: z.boolean().optional(),
    authorization_response_iss_parameter_supported: z.boolean().optional(),
  }),
)

/** The number of authorization servers that are asked for their metadata. */
const maxServers = 3

/**
 * Finds the authorization server of an MCP server: by RFC 9728, from its challenge or its well-known documents, and by
 * RFC 8414 or OpenID Connect Discovery. A server without a document of RFC 9728 is its own authorization server.
 * @throws PlatformError 502 CONNECTION_DISCOVERY_FAILED
 */
export async function discover(fetch: BoundedFetch, address: string): Promise<Discovered> {
  const url = new URL(address)
  const challenge = await challengeOf(fetch, url)
  const document = await resourceDocument(fetch, url, challenge.metadata)
  if (document !== undefined && !covers(document.resource, url))
    throw discoveryFailed('The server describes the sign-in of another resource')
  const issuers = document?.authorization_servers ?? [url.origin]
  for (const issuer of issuers.slice(0, maxServers)) {
    const server = await serverDocument(fetch, issuer)
    if (server === undefined) continue
    if (server.code_challenge_methods_supported?.includes('S256') !== true)
      throw discoveryFailed('The authorization server does not support PKCE with S256')
    return {
      resource: document?.resource ?? canonical(url),
      scope: scopeOf(challenge.scope ?? document?.scopes_supported?.join(' '), server),
      server: server as Discovered['server'],
    }
  }
  throw discoveryFailed('The server requires a sign-in, but no authorization server was found')
}

/** Sends a request without a credential, and returns the challenge of RFC 6750 and RFC 9728. */
async function challengeOf(
  fetch: BoundedFetch,
  url: URL,
): Promise<{ metadata?: string | undefined; scope?: string | undefined }> {
  const answer = await asked(() =>
    fetch(url.href, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    }),
  )
  const header = answer?.headers.get('www-authenticate') ?? ''
  return { metadata: parameter(header, 'resource_metadata'), scope: parameter(header, 'scope') }
}

function parameter(header: string, name: string): string | undefined {
  const [, quoted, token] =
    new RegExp(
      `(?:^|[\\s,])${name}=(?:"([\\x20\\x21\\x23-\\x7e]{1,2000})"|([^\\s,"]{1,2000}))`,
      'i',
    ).exec(header) ?? []
  return quoted ?? token
}

async function resourceDocument(fetch: BoundedFetch, url: URL, named: string | undefined) {
  const wellKnown = '/.well-known/oauth-protected-resource'
  const path = url.pathname === '/' ? '' : url.pathname
  const candidates = [named, `${url.origin}${wellKnown}${path}`, `${url.origin}${wellKnown}`]
  for (const candidate of new Set(candidates)) {
    if (candidate === undefined) continue
    const found = await asked(() => readJson(fetch, candidate, protectedResource()))
    if (found !== undefined) return found
  }
  return undefined
}

async function serverDocument(fetch: BoundedFetch, issuer: string) {
  const url = URL.parse(issuer)
  if (url === null) return undefined
  const { origin, pathname } = url
  const path = pathname.replace(/\/$/, '')
  const candidates = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
  for (const candidate of new Set(candidates)) {
    const found = await asked(() => readJson(fetch, candidate, authorizationServer()))
    // RFC 8414, 3.3: otherwise a server could pose as another one.
    if (found !== undefined && URL.parse(found.issuer)?.href === url.href) return found
  }
  return undefined
}

/** Returns undefined for an address that does not answer, because another one may. */
async function asked<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof HttpFailure) return undefined
    throw error
  }
}

/** Returns whether a resource contains an address: it has the same origin, and its path is a parent of the address. */
function covers(resource: string, url: URL): boolean {
  const parent = URL.parse(resource)
  if (parent === null || parent.origin !== url.origin) return false
  const path = parent.pathname.replace(/\/$/, '')
  return url.pathname === path || url.pathname.startsWith(`${path}/`)
}

/** RFC 8707: an absolute URI without a fragment. */
function canonical(url: URL): string {
  const { origin, pathname, search } = url
  return pathname === '/' && search === '' ? origin : `${origin}${pathname}${search}`
}

/** Adds the scope of OpenID Connect for a refresh token, if the server has it. */
function scopeOf(
  scope: string | undefined,
  { scopes_supported: offered = [] }: { scopes_supported?: string[] | undefined },
): string | undefined {
  const scopes = new Set(scope?.split(' ').filter(Boolean))
  if (offered.includes('offline_access')) scopes.add('offline_access')
  return scopes.size === 0 ? undefined : [...scopes].join(' ')
}

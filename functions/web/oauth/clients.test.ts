import { auth, type OAuthClientProvider } from '@modelcontextprotocol/client'
import {
  allowInsecureRequests,
  customFetch,
  processResourceDiscoveryResponse,
  resourceDiscoveryRequest,
} from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OAuth, startOAuth, webUrl } from '#tests/support/accounts/oauth.ts'
import { platformOver } from '#tests/support/http/platform-over.ts'

let on: OAuth
let session: string

beforeAll(async () => {
  on = await startOAuth()
  ;({ session } = await on.signUp('ada@b.co'))
})
afterAll(() => on.close())

/** A network with only this authorization server. */
const fetchFn = async (url: string | URL, init?: RequestInit): Promise<Response> => {
  const { pathname, search } = new URL(url)
  const request = new Request(url, init)
  const text = init?.body ? await request.text() : undefined
  return on.oauth(request.method, pathname + search, {
    headers: Object.fromEntries(request.headers),
    ...(text !== undefined && { text }),
  })
}

describe('oauth4webapi', () => {
  it.each(['', '/mcp'])(
    'accepts the metadata of {WEB_URL}%s, and its tokens are valid',
    async (path) => {
      const resource = new URL(webUrl + path)
      const answer = await resourceDiscoveryRequest(resource, {
        [customFetch]: fetchFn as never,
        [allowInsecureRequests]: true,
      })
      const found = await processResourceDiscoveryResponse(resource, answer)
      expect(found.authorization_servers).toEqual([webUrl])
      const { access_token } = await on.tokensFor(session, { resource: resource.href })
      expect(await on.opens(access_token)).toBe(true)
    },
  )
})

describe('a client of the MCP SDK', () => {
  it.each([
    ['a client with the redirect of mcp-remote', 'http://localhost:3334/oauth/callback'],
    ['a client on a loopback address', 'http://127.0.0.1:33418/'],
    ['a client with its own scheme', 'cursor://anysphere.cursor-mcp/oauth/callback'],
  ])('%s signs in by the metadata documents', async (_, redirectUrl) => {
    const stored: Record<string, unknown> = {}
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: {
        client_name: 'MCP CLI Proxy',
        redirect_uris: [redirectUrl],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        client_uri: 'https://example.com/mcp',
        software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
        software_version: '1.0.0',
      },
      clientInformation: () => stored.client as never,
      saveClientInformation: (client) => void (stored.client = client),
      tokens: () => stored.tokens as never,
      saveTokens: (tokens) => void (stored.tokens = tokens),
      redirectToAuthorization: (url) => void (stored.url = url),
      saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
      codeVerifier: () => String(stored.verifier),
      state: () => 'the state',
    }
    const options = { serverUrl: `${webUrl}/mcp`, fetchFn: fetchFn as never }
    expect(await auth(provider, options)).toBe('REDIRECT')
    const { pathname, search } = stored.url as URL
    const response = await on.oauth('GET', pathname + search, { session })
    const location = new URL(response.headers.get('location') ?? '')
    const { oauth } = platformOver(on.oauth, { session })
    const id = location.searchParams.get('request') ?? ''
    const { redirectTo } = await oauth.decideRequest(id, { approve: true })
    expect(redirectTo.startsWith(redirectUrl)).toBe(true)
    const { searchParams } = new URL(redirectTo)
    const authorizationCode = searchParams.get('code') ?? ''
    const iss = searchParams.get('iss') ?? ''
    expect(await auth(provider, { ...options, authorizationCode, iss })).toBe('AUTHORIZED')
    const { access_token, scope } = stored.tokens as { access_token: string; scope: string }
    expect(scope).toBe('read chat write')
    expect(await on.opens(access_token)).toBe(true)
  })
})

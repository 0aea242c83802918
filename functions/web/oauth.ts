import * as z from 'zod'
import { mcpOf, resourceMetadata, serverMetadata } from '#shared/accounts/oauth/metadata.ts'
import { routesWith } from '#shared/http/route.ts'
import { pages } from './oauth/pages.ts'
import { type Services as OAuthServices, programs } from './oauth/programs.ts'

const route = routesWith<OAuthServices>()

const names = z.array(z.string())

const shownResource = z
  .object({
    resource: z.string(),
    authorization_servers: names,
    bearer_methods_supported: names,
    scopes_supported: names,
  })
  .meta({ id: 'OAuthResource' })

/** @param of returns the id of the resource, given the URL of the surface */
function resource(
  name: 'oauth.resource' | 'oauth.mcpResource',
  path: string,
  of: (webUrl: string) => string,
) {
  return route({
    name,
    method: 'GET',
    path,
    summary: 'Get the protected resource metadata (RFC 9728)',
    tag: 'oauth',
    guard: 'none',
    unlimited: 'document',
    response: shownResource,
    errors: [],
    handle: ({ webUrl }) => resourceMetadata(webUrl, of(webUrl)),
  })
}

export const routes = [
  route({
    name: 'oauth.server',
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'Get the authorization server metadata (RFC 8414)',
    tag: 'oauth',
    guard: 'none',
    unlimited: 'document',
    response: z
      .object({
        issuer: z.string(),
        authorization_endpoint: z.string(),
        token_endpoint: z.string(),
        device_authorization_endpoint: z.string(),
        registration_endpoint: z.string(),
        revocation_endpoint: z.string(),
        response_types_supported: names,
        response_modes_supported: names,
        grant_types_supported: names,
        code_challenge_methods_supported: names,
        token_endpoint_auth_methods_supported: names,
        revocation_endpoint_auth_methods_supported: names,
        scopes_supported: names,
        authorization_response_iss_parameter_supported: z.boolean(),
        sign_in_providers: z.array(
          z.object({ name: z.enum(['idp', 'codehost']), host: z.string(), begin: z.string() }),
        ),
        sign_in_wallet_chain_id: z.int(),
        models_base_url: z.string(),
      })
      .meta({ id: 'OAuthServer' }),
    errors: [],
    handle: ({ webUrl, backendUrl, signInWays }) =>
      serverMetadata(webUrl, { ways: signInWays, backendUrl }),
  }),

  resource('oauth.resource', '/.well-known/oauth-protected-resource', (webUrl) => webUrl),
  // Clients look here first for the metadata of `/mcp`: RFC 9728, section 3.1.
  resource('oauth.mcpResource', '/.well-known/oauth-protected-resource/mcp', mcpOf),
  ...programs,
  ...pages,
]

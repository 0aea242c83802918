import { keyScopes } from '#shared/platform/identity/actor.ts'
import { defaultScopes } from '../users/api-key.ts'

/** The grant types that this server supports. */
export const grantTypes = {
  code: 'authorization_code',
  refresh: 'refresh_token',
  device: 'urn:ietf:params:oauth:grant-type:device_code',
} as const

/** Returns the resource that tokens are valid for: contract.md 12. */
export function mcpOf(webUrl: string): string {
  return `${webUrl}/mcp`
}

/** True if `resource` (RFC 8707) is the web surface or its MCP server. */
export function isResource(resource: string, webUrl: string): boolean {
  // Clients that parse a URL without a path add a slash.
  return [webUrl, `${webUrl}/`, mcpOf(webUrl)].includes(resource)
}

interface SignInProvider {
  name: 'idp' | 'codehost'
  /** The name that users recognize: `accounts.example.com`. */
  host: string
  /** The URL where the browser begins the sign-in. */
  begin: string
}

/** The ways to sign in besides a password. */
export interface SignInWays {
  providers: SignInProvider[]
  /** The chain that a wallet's message must name (EIP-155). */
  walletChainId: number
}

/**
 * The document of RFC 8414, extended with the ways to sign in on its page and the address of the model API: RFC 8414
 * allows additional fields in section 2.
 */
export function serverMetadata(
  webUrl: string,
  { ways, backendUrl }: { ways: SignInWays; backendUrl: string },
) {
  return {
    issuer: webUrl,
    authorization_endpoint: `${webUrl}/oauth/authorize`,
    token_endpoint: `${webUrl}/oauth/token`,
    device_authorization_endpoint: `${webUrl}/oauth/device_authorization`,
    registration_endpoint: `${webUrl}/oauth/register`,
    revocation_endpoint: `${webUrl}/oauth/revoke`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.values(grantTypes),
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [...keyScopes],
    authorization_response_iss_parameter_supported: true,
    sign_in_providers: ways.providers,
    sign_in_wallet_chain_id: ways.walletChainId,
    models_base_url: `${backendUrl}/v1`,
  }
}

/**
 * RFC 9728. Clients request all listed scopes, so `money` and `admin` are not listed.
 * @param resource the resource of the requested document: clients reject a document that names another resource
 * (section 3.3)
 */
export function resourceMetadata(webUrl: string, resource: string) {
  return {
    resource,
    authorization_servers: [webUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [...defaultScopes],
  }
}

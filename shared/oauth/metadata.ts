import { defaultScopes } from '../accounts/api-key.ts'
import { keyScopes } from '../identity/actor.ts'

/** The grants that this server knows, by their names. */
export const grantTypes = {
  code: 'authorization_code',
  refresh: 'refresh_token',
  device: 'urn:ietf:params:oauth:grant-type:device_code',
} as const

/** What tokens are for: contract.md 12. */
export function resourceOf(webUrl: string): string {
  return `${webUrl}/mcp`
}

/** RFC 8414. */
export function serverMetadata(webUrl: string) {
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
  }
}

/** RFC 9728. Clients ask for all scopes that stand here, so `admin` does not. */
export function resourceMetadata(webUrl: string) {
  return {
    resource: resourceOf(webUrl),
    authorization_servers: [webUrl],
    bearer_methods_supported: ['header'],
    scopes_supported: [...defaultScopes],
  }
}

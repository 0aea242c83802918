import type { Config } from '#shared/platform/config/load.ts'
import { codehost } from './codehost/provider.ts'
import { type IdentityProvider, identityProvider } from './idp/provider.ts'
import type { ProviderName, SignInProvider } from './provider.ts'

export type IdpSettings = Pick<
  Config,
  'deployed' | 'IDP_CLIENT_ID' | 'IDP_CLIENT_SECRET' | 'IDP_ISSUER' | 'WEB_URL'
>

type CodehostSettings = Pick<
  Config,
  | 'deployed'
  | 'CODEHOST_API_URL'
  | 'CODEHOST_BASE_URL'
  | 'CODEHOST_CLIENT_ID'
  | 'CODEHOST_CLIENT_SECRET'
  | 'WEB_URL'
>

export type ProviderSettings = IdpSettings & CodehostSettings

/** The public code host, the default of the settings. */
const publicHost = { baseUrl: 'https://github.com', apiUrl: 'https://api.github.com' }

/** Returns the providers whose settings are complete. */
export function configuredProviders(
  settings: ProviderSettings,
): Partial<Record<ProviderName, SignInProvider>> {
  const idp = configuredIdp(settings)
  const host = configuredCodehost(settings)
  return { ...(idp && { idp }), ...(host && { codehost: host }) }
}

/** Returns the identity provider of the settings; undefined if it is not configured. */
export function configuredIdp(settings: IdpSettings): IdentityProvider | undefined {
  const { deployed, WEB_URL, IDP_ISSUER: issuer, IDP_CLIENT_SECRET: clientSecret } = settings
  // The first client id is the platform's; tokens for the others are accepted too.
  const [clientId] = settings.IDP_CLIENT_ID
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const redirectUri = `${WEB_URL}/api/auth/idp/callback`
  return identityProvider({ deployed, issuer, clientId, clientSecret, redirectUri })
}

function configuredCodehost(settings: CodehostSettings): SignInProvider | undefined {
  const { deployed, CODEHOST_CLIENT_ID: clientId, CODEHOST_CLIENT_SECRET: clientSecret } = settings
  const { CODEHOST_BASE_URL: baseUrl, CODEHOST_API_URL: apiUrl } = settings
  if (clientId === undefined || clientSecret === undefined) return undefined
  // Tokens of one host must not reach the API of another.
  if ((baseUrl === undefined) !== (apiUrl === undefined)) return undefined
  const host = baseUrl === undefined || apiUrl === undefined ? publicHost : { baseUrl, apiUrl }
  const redirectUri = `${settings.WEB_URL}/api/auth/github/callback`
  return codehost({ deployed, ...host, clientId, clientSecret, redirectUri })
}

import { codehost } from './codehost/provider.ts'
import { type IdentityProvider, identityProvider } from './idp/provider.ts'
import type { ProviderName, SignInProvider } from './provider.ts'

export interface ProviderSettings {
  deployed: boolean
  WEB_URL: string
  IDP_ISSUER?: string | undefined
  /** The first one is ours; the others' tokens are also meant for us. */
  IDP_CLIENT_ID: readonly string[]
  IDP_CLIENT_SECRET?: string | undefined
  CODEHOST_BASE_URL?: string | undefined
  CODEHOST_API_URL?: string | undefined
  CODEHOST_CLIENT_ID?: string | undefined
  CODEHOST_CLIENT_SECRET?: string | undefined
}

/** What the code host's users call it, where the settings name no other. */
const publicHost = { baseUrl: 'https://github.com', apiUrl: 'https://api.github.com' }

/** The providers that the settings are complete for. */
export function configuredProviders(
  settings: ProviderSettings,
): Partial<Record<ProviderName, SignInProvider>> {
  const idp = configuredIdp(settings)
  const host = configuredCodehost(settings)
  return { ...(idp && { idp }), ...(host && { codehost: host }) }
}

export function configuredIdp(settings: ProviderSettings): IdentityProvider | undefined {
  const { deployed, WEB_URL, IDP_ISSUER: issuer, IDP_CLIENT_SECRET: clientSecret } = settings
  const [clientId] = settings.IDP_CLIENT_ID
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined
  const redirectUri = `${WEB_URL}/api/auth/idp/callback`
  return identityProvider({ deployed, issuer, clientId, clientSecret, redirectUri })
}

function configuredCodehost(settings: ProviderSettings): SignInProvider | undefined {
  const { deployed, CODEHOST_CLIENT_ID: clientId, CODEHOST_CLIENT_SECRET: clientSecret } = settings
  const { CODEHOST_BASE_URL: baseUrl, CODEHOST_API_URL: apiUrl } = settings
  if (clientId === undefined || clientSecret === undefined) return undefined
  // A token of one host must not reach the API of another.
  if ((baseUrl === undefined) !== (apiUrl === undefined)) return undefined
  const host = baseUrl === undefined || apiUrl === undefined ? publicHost : { baseUrl, apiUrl }
  const redirectUri = `${settings.WEB_URL}/api/auth/github/callback`
  return codehost({ deployed, ...host, clientId, clientSecret, redirectUri })
}

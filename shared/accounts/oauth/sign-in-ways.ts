import type { Settings } from '#shared/platform/config/settings.ts'
import type { SignInWays } from './metadata.ts'

type SignInSettings = Pick<
  Settings,
  'CODEHOST_BASE_URL' | 'CODEHOST_CLIENT_ID' | 'EVM_CHAIN_ID' | 'IDP_CLIENT_ID' | 'IDP_ISSUER'
>

/** Returns the ways to sign in that the settings enable, with their public parts only. */
export function signInWays(settings: SignInSettings): SignInWays {
  const { CODEHOST_BASE_URL, CODEHOST_CLIENT_ID, EVM_CHAIN_ID, IDP_CLIENT_ID, IDP_ISSUER } =
    settings
  const providers: SignInWays['providers'] = []
  if (IDP_ISSUER !== undefined && IDP_CLIENT_ID.length > 0)
    providers.push({ name: 'idp', host: new URL(IDP_ISSUER).host, begin: '/api/auth/idp' })
  if (CODEHOST_CLIENT_ID !== undefined)
    providers.push({
      name: 'codehost',
      host: new URL(CODEHOST_BASE_URL ?? 'https://github.com').host,
      begin: '/api/auth/github',
    })
  return { providers, walletChainId: EVM_CHAIN_ID }
}

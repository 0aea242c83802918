import type { SecretName, SettingName } from './functions.ts'

/** Features that need several settings: all of them or none. */
export const neededTogether: Record<string, readonly (SettingName | SecretName)[]> = {
  'sign-in by OpenID Connect': ['IDP_ISSUER', 'IDP_CLIENT_ID', 'IDP_CLIENT_SECRET'],
  'sign-in by a code host': ['CODEHOST_CLIENT_ID', 'CODEHOST_CLIENT_SECRET'],
  'a code host other than the public one': ['CODEHOST_BASE_URL', 'CODEHOST_API_URL'],
  'paying for clones': ['TEMPO_RPC_URL', 'PATHUSD_ADDRESS', 'CLONE_PAY_TO'],
  'wallets at a custodian': ['CDP_API_KEY_ID', 'CDP_API_KEY_SECRET', 'CDP_WALLET_SECRET'],
  'selling answers by x402': ['X402_PAY_TO', 'X402_FACILITATOR_URL'],
  videos: ['VIDEO_API_URL', 'VIDEO_API_KEY'],
  'notices by a chat bot': ['NOTIFY_CHAT_API_URL', 'NOTIFY_CHAT_BOT_TOKEN', 'NOTIFY_CHAT_ADMIN_ID'],
}

import type { Settings } from '#shared/platform/config/settings.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import { coinbase } from './coinbase/accounts.ts'
import type { Custodian } from './port.ts'

export type CustodySettings = Pick<
  Settings,
  'CDP_API_KEY_ID' | 'CDP_API_KEY_SECRET' | 'CDP_API_URL' | 'CDP_WALLET_SECRET'
> & { deployed: boolean }

/**
 * Returns the configured custodian, without contacting it.
 * @throws PlatformError 503 with every missing setting
 */
export function requireCustodian(settings: CustodySettings): Custodian {
  const { CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret } = settings
  const { CDP_WALLET_SECRET: walletSecret, CDP_API_URL: apiUrl, deployed } = settings
  if (keyId === undefined || keySecret === undefined || walletSecret === undefined) {
    const needed = { CDP_API_KEY_ID: keyId, CDP_API_KEY_SECRET: keySecret }
    const secrets = Object.entries({ ...needed, CDP_WALLET_SECRET: walletSecret })
    const missing = secrets.flatMap(([name, value]) => (value === undefined ? [name] : []))
    throw notConfigured('Wallets at the custodian', missing)
  }
  return coinbase({ deployed, apiUrl, keyId, keySecret, walletSecret })
}

import type { Settings } from '#shared/platform/config/settings.ts'
import { kmsDataKeys } from '#shared/platform/data-keys/kms.ts'
import { notConfigured } from '#shared/platform/errors.ts'
import { sealer } from '#shared/platform/seal.ts'
import { envelopeSeals } from './envelope.ts'
import type { KeyPlace, KeySeals } from './port.ts'

/**
 * Returns the configured encryption of keys: with a KMS key if one is set, otherwise with WALLET_ENCRYPTION_KEY.
 * @param endpoint the endpoint of another KMS than AWS's
 */
export function keySeals(
  settings: Pick<Settings, 'WALLET_ENCRYPTION_KEY' | 'WALLET_KMS_KEY_ID'>,
  endpoint?: string,
): KeySeals {
  const { WALLET_ENCRYPTION_KEY, WALLET_KMS_KEY_ID: keyId } = settings
  return keyId === undefined
    ? plainSeals(WALLET_ENCRYPTION_KEY)
    : envelopeSeals(kmsDataKeys({ keyId, endpoint }))
}

/**
 * Encrypts wallet keys with AES-256-GCM, using a key per wallet derived from WALLET_ENCRYPTION_KEY.
 * @throws PlatformError 503 at the first use without WALLET_ENCRYPTION_KEY
 */
export function plainSeals(encryptionKey: string | undefined): KeySeals {
  const seals = () => {
    if (encryptionKey === undefined) throw notConfigured('Wallets', ['WALLET_ENCRYPTION_KEY'])
    return sealer(encryptionKey)
  }
  return {
    seal: async (key, place) => seals().sealBytes(key, placeOf(place)),
    async open(sealed, place) {
      const opened = await seals().openBytes(sealed, placeOf(place))
      if (opened === undefined)
        throw new Error(`the key of ${place.address} was not sealed by the key of this platform`)
      return opened
    },
  }
}

function placeOf({ agentId, address }: KeyPlace): string {
  return `wallet-key#${agentId}#${address.toLowerCase()}`
}

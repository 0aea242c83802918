import { notConfigured } from '../../platform/errors.ts'
import type { Settings } from '../../platform/config/settings.ts'
import { kmsDataKeys } from '../../platform/data-keys/kms.ts'
import { sealer } from '../../platform/seal.ts'
import { envelopeSeals } from './envelope.ts'
import type { KeyPlace, KeySeals } from './port.ts'

/**
 * How the settings say that keys are sealed: by envelope under a key of KMS, where there is one, else under
 * WALLET_ENCRYPTION_KEY.
 * @param endpoint of another KMS than AWS's own
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
 * Seals by AES-256-GCM under a key of each wallet's own that is derived from WALLET_ENCRYPTION_KEY.
 * @throws PlatformError 503, with the first key, where there is none
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

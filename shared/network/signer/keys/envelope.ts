import { toBase64Url } from '#shared/platform/crypto.ts'
import type { DataKeys } from '#shared/platform/data-keys/kms.ts'
import type { KeyPlace, KeySeals } from './port.ts'

/** The prefix of a key that was encrypted by this scheme. */
const version = 'kms1.'
/** The IV length of AES-GCM: NIST SP 800-38D. */
const ivBytes = 12

/**
 * Encrypts wallet keys with envelope encryption: AES-256-GCM with a KMS data key per wallet, which is bound to its
 * agent and address. Rejects keys of the other scheme, because other functions have WALLET_ENCRYPTION_KEY.
 */
export function envelopeSeals(dataKeys: DataKeys): KeySeals {
  return {
    async seal(key, place) {
      const { plain, sealed } = await dataKeys.make(contextOf(place))
      try {
        const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
        const text = await crypto.subtle.encrypt(algorithm(iv, place), await imported(plain), key)
        const parts = [sealed, new Uint8Array([...iv, ...new Uint8Array(text)])]
        return version + parts.map(toBase64Url).join('.')
      } finally {
        plain.fill(0)
      }
    },

    async open(sealed, place) {
      if (!sealed.startsWith(version))
        throw new Error(`the key of ${place.address} was not sealed by the key of KMS`)
      const [blob = '', data = ''] = sealed.slice(version.length).split('.')
      const plain = await dataKeys.open(Buffer.from(blob, 'base64url'), contextOf(place))
      try {
        const bytes = new Uint8Array(Buffer.from(data, 'base64url'))
        const [iv, text] = [bytes.subarray(0, ivBytes), bytes.subarray(ivBytes)]
        const opened = crypto.subtle.decrypt(algorithm(iv, place), await imported(plain), text)
        return new Uint8Array(await opened)
      } finally {
        plain.fill(0)
      }
    },
  }
}

function contextOf({ agentId, address }: KeyPlace): Record<'agentId' | 'address', string> {
  return { agentId, address: address.toLowerCase() }
}

function algorithm(iv: Uint8Array<ArrayBuffer>, { agentId, address }: KeyPlace) {
  const place = new TextEncoder().encode(`${agentId}#${address.toLowerCase()}`)
  return { name: 'AES-GCM', iv, additionalData: place } as const
}

function imported(key: Uint8Array<ArrayBuffer>) {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])
}

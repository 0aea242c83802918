import type { DataKeys } from '../../platform/data-keys/kms.ts'
import { toBase64Url } from '../../platform/crypto.ts'
import type { KeyPlace, KeySeals } from './port.ts'

/** Says how a sealed key was made. */
const version = 'kms1.'
/** AES-GCM's own, NIST SP 800-38D. */
const ivBytes = 12

/**
 * Seals by envelope: AES-256-GCM under a data key of each wallet's own, which KMS made for this agent and this address and
 * opens for no other. It opens nothing that was sealed otherwise: WALLET_ENCRYPTION_KEY is known to other functions.
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

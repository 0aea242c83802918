import { toBase64Url } from './crypto.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Marks the version of the format, so that a later version can recognize it. */
const version = 'v1.'
/** AES-GCM's IV length: NIST SP 800-38D. */
const ivBytes = 12

/**
 * Encrypts texts so that only the platform can decrypt them, and only with the context that they were encrypted with.
 */
export interface Sealer {
  /**
   * @param place the context, such as the key of the row with the sealed text; a copy in another row cannot be
   * decrypted
   */
  seal(text: string, place: string): Promise<string>
  /** @returns undefined if the text was not sealed with this context and key */
  open(sealed: string, place: string): Promise<string | undefined>
  /**
   * Encrypts bytes, which a caller can overwrite after use, whereas a string stays in memory until garbage collection.
   */
  sealBytes(bytes: Uint8Array<ArrayBuffer>, place: string): Promise<string>
  openBytes(sealed: string, place: string): Promise<Uint8Array<ArrayBuffer> | undefined>
}

/**
 * Returns a sealer with AES-256-GCM and a separate key for each context, so that no key encrypts many texts.
 * @param encryptionKey WALLET_ENCRYPTION_KEY
 */
export function sealer(encryptionKey: string): Sealer {
  const bytes = encoder.encode(encryptionKey)

  async function keyOf(place: string, usage: 'encrypt' | 'decrypt') {
    const info = encoder.encode(`seal:${version}${place}`)
    return crypto.subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
      await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']),
      { name: 'AES-GCM', length: 256 },
      false,
      [usage],
    )
  }

  async function sealBytes(plain: Uint8Array<ArrayBuffer>, place: string): Promise<string> {
    const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
    const additionalData = encoder.encode(place)
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv, additionalData },
      await keyOf(place, 'encrypt'),
      plain,
    )
    return version + toBase64Url(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
  }

  async function openBytes(
    sealed: string,
    place: string,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const data = sealed.startsWith(version) && fromBase64Url(sealed.slice(version.length))
    if (!data || data.length <= ivBytes) return undefined
    const key = await keyOf(place, 'decrypt')
    const iv = data.subarray(0, ivBytes)
    const additionalData = encoder.encode(place)
    const text = data.subarray(ivBytes)
    try {
      return new Uint8Array(
        await crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, key, text),
      )
    } catch (error) {
      if (error instanceof DOMException && error.name === 'OperationError') return undefined
      throw error
    }
  }

  return {
    sealBytes,
    openBytes,
    seal: (text, place) => sealBytes(encoder.encode(text), place),
    async open(sealed, place) {
      const opened = await openBytes(sealed, place)
      return opened && decoder.decode(opened)
    },
  }
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

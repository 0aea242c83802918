import { secp256k1 } from '@noble/curves/secp256k1'
import { type Hex, hexToBytes, numberToHex, type Signature, toHex } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'

/** These functions take keys as bytes, because the strings of viem's accounts cannot be overwritten after use. */

/** Returns 32 bytes that are a valid secp256k1 key. */
export function newKey(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(secp256k1.utils.randomPrivateKey())
}

/** Returns the address of a key's account, with its checksum. */
export function addressOf(key: Uint8Array): Hex {
  return publicKeyToAddress(toHex(secp256k1.getPublicKey(key, false)))
}

/** Signs a hash, deterministically (RFC 6979) and in the lower half of the curve (EIP-2). */
export function signHash(key: Uint8Array, hash: Hex): Signature {
  const { r, s, recovery } = secp256k1.sign(hexToBytes(hash), key, { lowS: true })
  return {
    r: numberToHex(r, { size: 32 }),
    s: numberToHex(s, { size: 32 }),
    v: recovery ? 28n : 27n,
    yParity: recovery,
  }
}

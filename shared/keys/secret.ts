import { userRows } from '../accounts/rows.ts'
import { randomHex } from '../platform/crypto.ts'
import { bitsOfId, idOfBits } from '../platform/id-bits.ts'

const keyForm = /^sk_[0-9a-f]{32}([0-9a-f]{32})$/

/**
 * A new raw key: `sk_` and 64 hex digits, 128 random bits and then the 128 bits of its user's id. With the id in the
 * key, one read of the user's own partition finds the key and the user as they are now; no copy can grow old.
 * @throws TypeError for an id that `newId(userRows.id)` did not make
 */
export function newSecret(userId: string): string {
  return `sk_${randomHex(16)}${bitsOfId(userRows.id, userId)}`
}

/** Whose key a text claims to be; undefined for what is no key. */
export function claimedOwner(secret: string): string | undefined {
  const hex = keyForm.exec(secret)?.[1]
  return hex === undefined ? undefined : idOfBits(userRows.id, hex)
}

/** What a list shows, so that people can tell their keys apart: contract.md 3. */
export function previewOf(secret: string): string {
  return `${secret.slice(0, 10)}...`
}

import { randomHex } from '#shared/platform/crypto.ts'
import { bitsOfId, idOfBits } from '#shared/platform/id-bits.ts'
import { userRows } from '../users/rows.ts'

const keyForm = /^sk_[0-9a-f]{32}([0-9a-f]{32})$/

/**
 * Returns a new raw key: `sk_` and 64 hex digits, of 128 random bits and the 128 bits of its user's id. Because of the
 * id, one read of the user's own partition finds both the key and the current user; no cached copy can become stale.
 * @throws TypeError for an id that `newId(userRows.id)` did not create
 */
export function newSecret(userId: string): string {
  return `sk_${randomHex(16)}${bitsOfId(userRows.id, userId)}`
}

/** Returns the user id in a key; undefined if the text is not a key. */
export function claimedOwner(secret: string): string | undefined {
  const hex = keyForm.exec(secret)?.[1]
  return hex === undefined ? undefined : idOfBits(userRows.id, hex)
}

/** Returns the preview in lists, so that people can tell their keys apart: contract.md 3. */
export function previewOf(secret: string): string {
  return `${secret.slice(0, 10)}...`
}

import { userRows } from '../accounts/rows.ts'
import { randomHex } from '../platform/crypto.ts'
import { newId } from '../platform/ids.ts'

/** Crockford's base32, which ULIDs are written in, in lower case. */
const crockford = '0123456789abcdefghjkmnpqrstvwxyz'

const userIdForm = new RegExp(`^${userRows.id}_([0-7][0-9a-hjkmnp-tv-z]{25})$`)
const keyForm = /^sk_[0-9a-f]{32}([0-9a-f]{32})$/

/**
 * A new raw key: `sk_` and 64 hex digits, 128 random bits and then the 128 bits of its user's id. With the id in the
 * key, one read of the user's own partition finds the key and the user as they are now; no copy can grow old.
 * @throws TypeError for an id that `newId(userRows.id)` did not make
 */
export function newSecret(userId: string): string {
  const ulid = userIdForm.exec(userId)?.[1]
  if (ulid === undefined) throw new TypeError('not the id of a user with an account')
  let bits = 0n
  for (const letter of ulid) bits = bits * 32n + BigInt(crockford.indexOf(letter))
  return `sk_${randomHex(16)}${bits.toString(16).padStart(32, '0')}`
}

/** Whose key a text claims to be; undefined for what is no key. */
export function claimedOwner(secret: string): string | undefined {
  const hex = keyForm.exec(secret)?.[1]
  if (hex === undefined) return undefined
  const digits = BigInt(`0x${hex}`).toString(32).padStart(26, '0')
  let ulid = ''
  for (const digit of digits) ulid += crockford[Number.parseInt(digit, 32)]
  return newId(userRows.id, ulid)
}

/** What a list shows, so that people can tell their keys apart: contract.md 3. */
export function previewOf(secret: string): string {
  return `${secret.slice(0, 10)}...`
}

import { newId } from './ids.ts'

/** Crockford's base32 in lower case, the alphabet of ULIDs. */
const crockford = '0123456789abcdefghjkmnpqrstvwxyz'

const idForm = /^([a-z]+)_([0-7][0-9a-hjkmnp-tv-z]{25})$/

/**
 * Returns the 128 bits of an id from `newId` as 32 hex digits.
 * @param prefix the `id` of its entity
 * @throws TypeError for any other text
 */
export function bitsOfId(prefix: string, id: string): string {
  const [, foundPrefix, ulid] = idForm.exec(id) ?? []
  if (foundPrefix !== prefix || ulid === undefined) throw new TypeError('not an id of the platform')
  let bits = 0n
  for (const letter of ulid) bits = bits * 32n + BigInt(crockford.indexOf(letter))
  return bits.toString(16).padStart(32, '0')
}

/** Returns the id for 32 hex digits. @param prefix the `id` of its entity */
export function idOfBits(prefix: string, hex: string): string {
  const digits = BigInt(`0x${hex}`).toString(32).padStart(26, '0')
  let ulid = ''
  for (const digit of digits) ulid += crockford[Number.parseInt(digit, 32)]
  return newId(prefix, ulid)
}

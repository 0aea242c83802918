import { ulid } from 'ulid'
import { type IdKind, idPrefixes } from '../manifest/ids.ts'

const pool = new Uint8Array(512)
let unused = 0

/** Out of many random bytes at once: asked for one by one, those of a request's ids cost more than any of its checks. */
function fraction(): number {
  if (unused === 0) {
    crypto.getRandomValues(pool)
    unused = pool.length
  }
  return (pool[--unused] ?? 0) / 256
}

/** A fresh seed for newId, a ULID. @param time epoch milliseconds that it says; now without it */
export function newSeed(time?: number): string {
  return ulid(time, fraction)
}

/**
 * A new id, `<prefix>_<ulid>`: unique, and sortable by the time it was made.
 * With `seed` (a ULID) the same call always gives the same id, which makes a retried create find its first try.
 */
export function newId<K extends IdKind>(
  kind: K,
  seed: string = newSeed(),
): `${(typeof idPrefixes)[K]}_${string}` {
  return `${idPrefixes[kind]}_${seed.toLowerCase()}`
}

/** What an id of that kind looks like, as part of a regular expression. */
export function idPattern(kind: IdKind): string {
  return `${idPrefixes[kind]}_[0-9a-z]{26}`
}

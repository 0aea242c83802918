import { ulid } from 'ulid'

const pool = new Uint8Array(512)
let unused = 0

/**
 * Takes random bytes from a pool: one system call for each id of a request would cost more than any check of the
 * request.
 */
function fraction(): number {
  if (unused === 0) {
    crypto.getRandomValues(pool)
    unused = pool.length
  }
  return (pool[--unused] ?? 0) / 256
}

/** A new seed for newId, a ULID. @param time epoch milliseconds of the ULID. Default: now */
export function newSeed(time?: number): string {
  return ulid(time, fraction)
}

/**
 * Returns a new id, `<prefix>_<ulid>`: unique, and sortable by the time it was made.
 * @param prefix the `id` of its entity, or one of shared/manifest/ids.ts
 * @param seed a ULID: the same seed always gives the same id, so that a retried create finds its first try
 */
export function newId<Prefix extends string>(
  prefix: Prefix,
  seed: string = newSeed(),
): `${Prefix}_${string}` {
  return `${prefix}_${seed.toLowerCase()}`
}

/** Returns a regular expression, as text, for ids with that prefix. */
export function idPattern(prefix: string): string {
  return `${prefix}_[0-9a-z]{26}`
}

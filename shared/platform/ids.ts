import { ulid } from 'ulid'

const pool = new Uint8Array(512)
let unused = 0

/**
 * Returns a random fraction from a pool of random bytes, because a system call for each id would cost more CPU time
 * than any check of a request.
 */
function fraction(): number {
  if (unused === 0) {
    crypto.getRandomValues(pool)
    unused = pool.length
  }
  return (pool[--unused] ?? 0) / 256
}

/** Returns a new seed for newId, a ULID. @param time the ULID's time in epoch milliseconds. Default: now */
export function newSeed(time?: number): string {
  return ulid(time, fraction)
}

/**
 * Returns a new id, `<prefix>_<ulid>`: unique, and sortable by its time of creation.
 * @param prefix the `id` of its entity, or one of shared/manifest/ids.ts
 * @param seed a ULID. The same seed always results in the same id, so that a retried create finds the row of the first
 * attempt
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

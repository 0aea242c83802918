import { ulid } from 'ulid'

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
 * @param prefix the `id` of its entity, or one of shared/manifest/ids.ts
 * @param seed a ULID, with which the same call always gives the same id, so that a retried create finds its first try
 */
export function newId<Prefix extends string>(
  prefix: Prefix,
  seed: string = newSeed(),
): `${Prefix}_${string}` {
  return `${prefix}_${seed.toLowerCase()}`
}

/** What an id with that prefix looks like, as part of a regular expression. */
export function idPattern(prefix: string): string {
  return `${prefix}_[0-9a-z]{26}`
}

import { ulid } from 'ulid'

/** One prefix a noun, so that an id says what it names wherever it turns up. */
const prefixes = {
  user: 'usr',
  agent: 'agt',
  key: 'key',
  message: 'msg',
  session: 'ses',
  task: 'tsk',
  swarm: 'swm',
  usage: 'use',
  incident: 'inc',
  request: 'req',
  completion: 'chatcmpl',
} as const

export type IdKind = keyof typeof prefixes

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
): `${(typeof prefixes)[K]}_${string}` {
  return `${prefixes[kind]}_${seed.toLowerCase()}`
}

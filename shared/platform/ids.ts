import { ulid } from 'ulid'

/** One prefix a noun, so that an id says what it names wherever it turns up. */
const prefixes = {
  user: 'usr',
  agent: 'agt',
  key: 'key',
  message: 'msg',
  task: 'tsk',
  swarm: 'swm',
  usage: 'use',
  incident: 'inc',
  request: 'req',
  completion: 'chatcmpl',
} as const

export type IdKind = keyof typeof prefixes

/**
 * A new id, `<prefix>_<ulid>`: unique, and sortable by the time it was made.
 * With `seed` (a ULID) the same call always gives the same id, which makes a retried create find its first try.
 */
export function newId<K extends IdKind>(
  kind: K,
  seed: string = ulid(),
): `${(typeof prefixes)[K]}_${string}` {
  return `${prefixes[kind]}_${seed.toLowerCase()}`
}

/** A fresh seed for newId. */
export { ulid as newSeed }

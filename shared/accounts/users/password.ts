import { compare, hash } from 'bcryptjs'
import { PlatformError } from '#shared/platform/errors.ts'

/** contract.md 2. */
export const passwordLimits = { min: 8, minAtReset: 6, maxBytes: 72 } as const

const encoder = new TextEncoder()

export function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/**
 * Hashes passwords. Every call takes the time of one hash, even if the result is false. A call throws a PlatformError
 * 503 if many others wait.
 */
export interface Passwords {
  hash(password: string): Promise<string>
  /** @param stored undefined for an unknown account or one without a password: the result is then false */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

/** The longest wait for other hashes in milliseconds, well within the time limit of the functions that hash. */
const longestWaitMs = 10_000

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs hashes one after another, in the order of the requests. bcryptjs alternates between concurrent hashes, so fifty
 * concurrent hashes would all take the time of fifty.
 * @throws PlatformError 503 after `longestWaitMs`; the request would time out otherwise
 */
function inTurn<T>(hashing: () => Promise<T>): Promise<T> {
  const since = performance.now()
  const done = last.then(() => {
    if (performance.now() - since > longestWaitMs) throw busy()
    return hashing()
  })
  last = done.catch(() => undefined)
  return done
}

function busy(): PlatformError {
  return new PlatformError('unavailable', 'Too many people are signing in; try again in a moment', {
    headers: { 'Retry-After': '5' },
  })
}

/** @param cost bcrypt's cost: each step doubles the time; 12 takes about 200 ms of one core (contract.md 2) */
export function bcryptPasswords(cost = 12): Passwords {
  // Has the form of a hash with that cost; comparing with it takes exactly as long as with a real hash.
  const decoy = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
  return {
    hash: (password) => inTurn(() => hash(password, cost)),
    async matches(password, stored) {
      const possible = stored !== undefined && utf8Length(password) <= passwordLimits.maxBytes
      const limited = password.slice(0, passwordLimits.maxBytes)
      const equal = await inTurn(() => compare(limited, possible ? stored : decoy))
      return possible && equal
    },
  }
}

/** A capability of verbs that hash or verify passwords. */
export interface HasPasswords {
  passwords: Passwords
}

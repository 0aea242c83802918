import { compare, hash } from 'bcryptjs'

/** contract.md 2. */
export const passwordLimits = { min: 8, minAtReset: 6, maxBytes: 72 } as const

const encoder = new TextEncoder()

export function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/** Hashes passwords. Every call takes the time of one hash, even if the result is false. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** @param stored undefined for an unknown account or one without a password: the result is then false */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

let last: Promise<unknown> = Promise.resolve()

/**
 * Runs hashes one after another, in the order of the requests. bcryptjs alternates between concurrent hashes, so fifty
 * concurrent hashes would all take the time of fifty.
 */
function inTurn<T>(hashing: () => Promise<T>): Promise<T> {
  const done = last.then(hashing)
  last = done.catch(() => undefined)
  return done
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

import { compare, hash } from 'bcryptjs'

/** contract.md 2. */
export const passwordLimits = { min: 8, maxBytes: 72 } as const

const encoder = new TextEncoder()

export function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/** How passwords become hashes. Each call takes a hash's time, whatever it answers. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** @param stored undefined where there is no such account or it has no password: false, as late as any other */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

/** @param cost bcrypt's: each step doubles the time; 12 takes about 200 ms of one core (contract.md 2) */
export function bcryptPasswords(cost = 12): Passwords {
  return {
    hash: (password) => hash(password, cost),
    async matches(password, stored) {
      if (stored !== undefined && utf8Length(password) <= passwordLimits.maxBytes)
        return compare(password, stored)
      await hash(password.slice(0, passwordLimits.maxBytes), cost)
      return false
    },
  }
}

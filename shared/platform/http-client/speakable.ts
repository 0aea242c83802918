import { PlatformError } from '../errors.ts'
import { guardedTarget, type GuardOptions } from './guarded.ts'
import { AddressRefused } from './public-url.ts'

/**
 * Checks an address that a user gives as far as it says itself where it leads; each request to it is checked again.
 * @param field as the user knows it
 * @throws PlatformError 400 for one that may not be spoken to
 */
export function requireSpeakable(guard: GuardOptions, field: string, url: string): void {
  try {
    guardedTarget(url, guard)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new PlatformError('bad-request', `${field} must be a public https address`)
  }
}

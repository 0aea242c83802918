import { PlatformError } from '../errors.ts'
import { guardedTarget, type GuardOptions } from './guarded.ts'
import { AddressRefused } from './public-url.ts'

/**
 * Checks a user's address as far as its text allows; each request to it is checked again.
 * @param field the field's name as the user knows it
 * @throws PlatformError 400 for an address that is not allowed
 */
export function requireAllowedUrl(guard: GuardOptions, field: string, url: string): void {
  try {
    guardedTarget(url, guard)
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error
    throw new PlatformError('bad-request', `${field} must be a public https address`)
  }
}

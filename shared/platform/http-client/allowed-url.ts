import { PlatformError } from '../errors.ts'
import { guardedTarget, type GuardOptions } from './guarded.ts'
import { AddressRefused } from './public-url.ts'

/**
 * Checks the text of a user's address. Each request to the address is checked again.
 * @param field the field's name in the request
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

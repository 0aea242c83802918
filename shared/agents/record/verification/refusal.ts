import { PlatformError } from '#shared/platform/errors.ts'

/** Returns 400 VERIFICATION_FAILED with the reason. */
export function verificationFailed(reason: string): PlatformError {
  return new PlatformError('bad-request', `The agent was not verified: ${reason}`, {
    code: 'VERIFICATION_FAILED',
  })
}

/**
 * Returns a required field of this kind of proof.
 * @throws PlatformError 400 if it is missing
 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new PlatformError('bad-request', `${name} required`)
  return value
}

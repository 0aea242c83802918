import { PlatformError } from '../../platform/errors.ts'

/** 400 VERIFICATION_FAILED, with what the proof lacks. */
export function refused(reason: string): PlatformError {
  return new PlatformError('bad-request', `The agent was not verified: ${reason}`, {
    code: 'VERIFICATION_FAILED',
  })
}

/** A part of the request that this kind of proof cannot do without. @throws PlatformError 400 */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new PlatformError('bad-request', `${name} required`)
  return value
}

import { PlatformError } from '#shared/platform/errors.ts'

/** @returns 502: the server's sign-in cannot be used, for the reason that the message names */
export function discoveryFailed(message: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-gateway', message, {
    code: 'CONNECTION_DISCOVERY_FAILED',
    foreign: true,
    ...(cause !== undefined && { cause }),
  })
}

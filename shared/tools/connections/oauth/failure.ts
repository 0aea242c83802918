import { PlatformError } from '#shared/platform/errors.ts'

/** @returns 502: the server's sign-in cannot be used, for the reason that the message names */
export function discoveryFailed(message: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-gateway', message, {
    code: 'CONNECTION_DISCOVERY_FAILED',
    foreign: true,
    ...(cause !== undefined && { cause }),
  })
}

/** Returns the text of an error of the OAuth library. Its causes contain responses, and with them tokens. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

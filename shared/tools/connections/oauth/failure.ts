import { PlatformError } from '#shared/platform/errors.ts'

/** Returns the error for a server whose sign-in cannot be used: 502 CONNECTION_DISCOVERY_FAILED. */
export function discoveryFailed(message: string, cause?: unknown): PlatformError {
  return new PlatformError('bad-gateway', message, {
    code: 'CONNECTION_DISCOVERY_FAILED',
    foreign: true,
    ...(cause !== undefined && { cause }),
  })
}

/** Returns the message of an error of the OAuth library, without its causes: they contain responses with tokens. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

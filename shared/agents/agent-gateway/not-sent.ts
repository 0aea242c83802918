import { PlatformError } from '#shared/platform/errors.ts'
import { HttpFailure, neverSent } from '#shared/platform/http-client/failure.ts'

/**
 * Reports whether it is certain that the agent has not received the turn: it was not running, or no connection was
 * made.
 */
export function notSent({ code, cause }: PlatformError): boolean {
  if (cause instanceof PlatformError) return notSent(cause)
  if (cause instanceof HttpFailure) return neverSent(cause)
  return code === 'AGENT_NOT_RUNNING' && cause === undefined
}

import type { ErrorCode } from '#shared/http/openapi/codes.ts'
import type { ErrorKind } from '#shared/platform/errors.ts'

/** The errors of a container start, in addition to the errors of a route's guard and body. */
export const startErrors: readonly ErrorKind[] = [
  'payment-required',
  'not-found',
  'conflict',
  'too-many-requests',
  'internal',
]

/** The codes of `startErrors`. */
export const startCodes: readonly ErrorCode[] = [
  'AGENT_LIMIT_REACHED',
  'PROVISIONING_DISABLED',
  'STOPPED_BY_OPERATOR',
  'STORAGE_LIMIT_REACHED',
  'SUBSCRIPTION_REQUIRED',
]

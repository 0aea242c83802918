import type { ErrorCode } from '../../shared/http/openapi/codes.ts'
import type { ErrorKind } from '../../shared/platform/errors.ts'

/** What can come of starting an agent's container, beside what a route's guard and body refuse. */
export const startErrors: readonly ErrorKind[] = [
  'payment-required',
  'not-found',
  'conflict',
  'too-many-requests',
  'internal',
]

/** The codes of startErrors. */
export const startCodes: readonly ErrorCode[] = [
  'AGENT_LIMIT_REACHED',
  'PROVISIONING_DISABLED',
  'STOPPED_BY_OPERATOR',
  'SUBSCRIPTION_REQUIRED',
]

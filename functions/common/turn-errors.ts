import type { ErrorCode } from '#shared/http/openapi/codes.ts'
import type { ErrorKind } from '#shared/platform/errors.ts'

/** The errors of a request to an agent: chat/converse.ts. */
export const turnErrors: readonly ErrorKind[] = [
  'bad-request',
  'unauthorized',
  'payment-required',
  'forbidden',
  'not-found',
  'conflict',
  'too-many-requests',
  'bad-gateway',
  'unavailable',
  'timeout',
]

/** The codes of `turnErrors`: the platform's own, and the codes of model calls that an agent passes on. */
export const turnCodes: readonly ErrorCode[] = [
  'AGENT_FAILED',
  'AGENT_NOT_RUNNING',
  'AGENT_TIMEOUT',
  'AGENT_UNREACHABLE',
  'AI_INTERRUPTED',
  'AI_UNAVAILABLE',
  'CANCELLED',
  'CLIENT_CLOSED_REQUEST',
  'MODEL_RESTRICTED',
  'MODEL_UNPRICED',
  'PLAN_REQUIRED',
  'PROVISIONING_DISABLED',
  'QUOTA_EXCEEDED',
  'SPEND_CAP_REACHED',
  'STOPPED_BY_OPERATOR',
  'STORAGE_LIMIT_REACHED',
  'SUBSCRIPTION_REQUIRED',
  'UPSTREAM_REJECTED',
]

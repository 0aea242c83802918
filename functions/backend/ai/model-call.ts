import { PlatformError } from '#shared/platform/errors.ts'

/**
 * Throws an error in the form of OpenAI or Anthropic. A code or parameter from the provider takes the places that
 * clients read; the platform's own code is added beside them.
 */
export function inProvidersWords(thrown: unknown): never {
  if (!(thrown instanceof PlatformError) || thrown.details.upstream === undefined) throw thrown
  const { kind, message, code, headers, cause } = thrown
  const { upstream, ...details } = thrown.details
  const own = upstream as { code: string | null; param: string | null }
  throw new PlatformError(kind, message, {
    ...(code !== undefined && { code }),
    details: {
      ...details,
      ...(own.code !== null && { code: own.code, platformCode: code }),
      param: own.param,
    },
    headers,
    cause,
  })
}

/** The body limit below /v1: contract.md, General rules. */
export const maxBodyBytes = 5 * 1_048_576

/** The errors of all routes for model calls. */
export const callErrors = [
  'bad-request',
  'unauthorized',
  'payment-required',
  'forbidden',
  'not-found',
  'too-many-requests',
  'bad-gateway',
  'unavailable',
] as const

/** The properties that all routes for model calls share. */
export const modelCall = {
  codes: [
    'AI_INTERRUPTED',
    'AI_UNAVAILABLE',
    'CLIENT_CLOSED_REQUEST',
    'MODEL_NOT_FOUND',
    'MODEL_RESTRICTED',
    'MODEL_UNPRICED',
    'MODEL_UNSUPPORTED',
    'PLAN_REQUIRED',
    'QUOTA_EXCEEDED',
    'RATE_LIMITED',
    'SPEND_CAP_REACHED',
    'SUBSCRIPTION_REQUIRED',
    'TOO_MANY_OPEN',
    'UPSTREAM_REJECTED',
  ],
  notAudited: 'a model call is a usage event',
} as const

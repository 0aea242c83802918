import type { ModelCall, StreamEvent } from '#shared/ai/gateway/completions/call.ts'
import type { ErrorForm } from '#shared/http/errors.ts'
import type { GuardActor } from '#shared/http/guards/guard.ts'
import type { RequestContext } from '#shared/http/route.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import { answerCall, type Services } from './answer.ts'
import { callHeaders } from './billing.ts'

/**
 * Throws an error in the form of OpenAI or Anthropic. A code or parameter from the provider is in the fields that
 * clients read, and the platform's own code in a further field.
 */
function inProvidersWords(thrown: unknown): never {
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
const maxBodyBytes = 5 * 1_048_576

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
    'MODEL_TOO_EXPENSIVE',
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

/** The properties that all routes for model calls below /v1 share. */
export const familyRoute = {
  ...modelCall,
  tag: 'ai',
  guard: 'internal-user-or-agent',
  scope: 'chat',
  headers: callHeaders,
  errorForm: 'openai',
  maxBodyBytes,
  errors: [...callErrors, 'payload-too-large'],
} as const

interface FamilyCall<Answer extends object> {
  /** Reads the body, after plan and subscription are checked. @throws PlatformError 400 */
  read(): ModelCall<Answer> | Promise<ModelCall<Answer>>
  /** The form of errors. Default: `openai`. */
  errorForm?: ErrorForm
  /** Writes the event of a stream that failed before its first event. Default: an event `error`. */
  failed?: (error: PlatformError) => StreamEvent
  /** The fields of the request that are not sent to a provider. The header `x-ignored-fields` names them. */
  ignored?: readonly string[]
}

/** Runs a call of a model, and responds with the answer in the form of its family. */
export async function answerFamily<Answer extends object>(
  context: RequestContext<GuardActor['internal-user-or-agent']> & Services,
  { read, errorForm = 'openai', failed, ignored = [] }: FamilyCall<Answer>,
): Promise<Response> {
  const response = await answerCall(context, {
    read,
    write: ({ answer }) => answer,
    errorForm,
    failed,
    refuse: inProvidersWords,
  })
  if (ignored.length > 0) response.headers.set('x-ignored-fields', namesIn(ignored))
  return response
}

/** Returns names as the value of a header. A caller can name any number of fields, in any characters. */
function namesIn(fields: readonly string[]): string {
  return fields
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()))
    .join(', ')
}

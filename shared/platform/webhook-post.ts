import { HttpFailure } from './http-client/failure.ts'
import type { GuardOptions } from './http-client/guarded.ts'
import { isSuccess } from './http-client/status.ts'
import type { Log } from './log.ts'
import { postJson } from './user-post.ts'
import { webhookHeaders } from './webhook-signature.ts'

export interface WebhookPost {
  url: string
  /** `whsec_` and the key in base64. */
  secret: string
  /** The id of the event, the same for every attempt. */
  id: string
  /** JSON. */
  text: string
}

/** The response of a receiver. */
export interface WebhookAnswer {
  status: number
  /** `Retry-After` in milliseconds; undefined without the header. */
  retryAfterMs: number | undefined
}

/**
 * Attempts to deliver an event once, and writes the log line `webhook` with the latency and the success. @param fields
 * additional fields of the log line
 * @returns undefined if no response arrives within five seconds, and for an address that is not allowed
 */
export async function tryWebhook(
  { guard, log }: { guard: GuardOptions; log: Log },
  post: WebhookPost,
  fields: Readonly<Record<string, unknown>>,
): Promise<WebhookAnswer | undefined> {
  const started = performance.now()
  const outcome = await postWebhook(post, guard).catch((error: unknown) => {
    if (!(error instanceof HttpFailure)) throw error
    return error
  })
  const answer = outcome instanceof HttpFailure ? undefined : outcome
  const delivered = isSuccess(answer?.status)
  log[delivered ? 'info' : 'warn'](
    'webhook',
    {
      ...fields,
      ...(outcome instanceof HttpFailure
        ? { failed: outcome.message }
        : { status: outcome.status }),
    },
    {
      by: [[]],
      of: {
        WebhookLatency: [Math.round(performance.now() - started), 'Milliseconds'],
        WebhookFailures: [delivered ? 0 : 1, 'Count'],
      },
    },
  )
  return answer
}

/**
 * Posts JSON to a user's address, signed according to Standard Webhooks. Redirects are returned, not followed.
 * @throws HttpFailure if no response arrives within five seconds, and for an address that is not allowed
 */
async function postWebhook(
  { url, secret, id, text }: WebhookPost,
  guard: GuardOptions,
): Promise<WebhookAnswer> {
  const now = Date.now()
  const headers = webhookHeaders(secret, { id, body: text, now })
  const answer = await postJson({ url, headers, text }, guard)
  return {
    status: answer.status,
    retryAfterMs: retryAfterOf(answer.headers['retry-after'], now),
  }
}

/** RFC 9110, 10.2.3: seconds, or a date. @returns milliseconds from `now`; undefined for anything else */
function retryAfterOf(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

import type { GuardOptions } from './http-client/guarded.ts'
import { postJson } from './user-post.ts'
import { webhookHeaders } from './webhook-signature.ts'

export interface WebhookPost {
  url: string
  /** `whsec_` and the key in base64. */
  secret: string
  /** Names the event, the same at every try. */
  id: string
  /** JSON. */
  text: string
}

/** The answer of a receiver. */
export interface WebhookAnswer {
  status: number
  /** `Retry-After` in milliseconds; undefined without the header. */
  retryAfterMs: number | undefined
}

/**
 * Posts JSON to an address that a user gave, signed as Standard Webhooks says. A redirect is an answer like any other.
 * @throws HttpFailure where there is no answer within five seconds, and for an address that may not be spoken to
 */
export async function postWebhook(
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

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

/**
 * Posts JSON to an address that a user gave, signed as Standard Webhooks says. A redirect is an answer like any other.
 * @returns the answer's status
 * @throws HttpFailure where there is no answer within five seconds, and for an address that may not be spoken to
 */
export async function postWebhook(
  { url, secret, id, text }: WebhookPost,
  guard: GuardOptions,
): Promise<number> {
  const headers = webhookHeaders(secret, { id, body: text, now: Date.now() })
  const { status } = await postJson({ url, headers, text }, guard)
  return status
}

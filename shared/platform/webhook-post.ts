import { sendRequest } from './http-client/client.ts'
import { guardedTarget, type GuardOptions } from './http-client/guarded.ts'
import { webhookHeaders } from './webhook-signature.ts'

const timeouts = { totalMs: 5000 }

/** An answer that is longer is not read; what it says does not matter, but read whole it leaves the connection usable. */
const longestAnswer = 4096

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
  const answer = await sendRequest({
    target: guardedTarget(url, guard),
    headers: {
      'content-type': 'application/json',
      ...webhookHeaders(secret, { id, body: text, now: Date.now() }),
    },
    body: Buffer.from(text),
    timeouts,
    pooled: true,
  })
  if (Number(answer.headers['content-length']) <= longestAnswer)
    // The status has told; a body that breaks off changes nothing.
    await answer.whole().catch(() => undefined)
  else answer.close()
  return answer.status
}

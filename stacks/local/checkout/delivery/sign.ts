import { createHmac } from 'node:crypto'

/**
 * Returns the Stripe-Signature header of a webhook.
 * @param secret `whsec_…`: the whole text is the key, including the prefix
 * @param seconds epoch seconds of this attempt; receivers reject signatures older than five minutes
 */
export function signature(secret: string, body: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

import { createHmac } from 'node:crypto'

/**
 * The Stripe-Signature of a webhook's body.
 * @param secret `whsec_…`: the key as a whole, prefix included
 * @param seconds epoch seconds of this try: a receiver refuses what is older than five minutes
 */
export function signature(secret: string, body: string, seconds: number): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

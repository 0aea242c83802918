import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { epochSeconds } from './times.ts'

const prefix = 'whsec_'

/** Returns a new secret of a webhook in the form of Standard Webhooks: 32 bytes. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(32).toString('base64')
}

/**
 * Returns the headers that authenticate a webhook's body: standard-webhooks.com, symmetric signatures.
 * @param secret `whsec_` and the key in base64
 * @param input.id the id of the event, the same for every attempt
 * @param input.now epoch milliseconds
 */
export function webhookHeaders(
  secret: string,
  { id, body, now }: { id: string; body: string; now: number },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(epochSeconds(now))
  const key = Buffer.from(secret.slice(prefix.length), 'base64')
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${digest}`,
  }
}

/** The maximum difference between a signature's time and the current time, in seconds: contract.md 10. */
const toleranceSeconds = 300

/** The body as received, and the time of receipt in epoch milliseconds. */
interface Delivered {
  body: Uint8Array
  now: number
}

/**
 * Returns whether a webhook's body is signed according to Standard Webhooks. Compares in constant time. Svix names the
 * headers `svix-…`.
 * @param secret `whsec_` and the key in base64
 * @param input the body and the values of its three headers; signatures are separated by blanks, and one valid
 * signature is enough
 */
export function isSignedWebhook(
  secret: string,
  { id, timestamp, signatures, body, now }: Delivered & SignedHeaders,
): boolean {
  const digest = createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
  const candidates = signatures
    .split(' ')
    .flatMap((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1] ?? [])
  return isRecent(timestamp, now) && hasDigest(candidates, 'base64', digest)
}

export interface SignedHeaders {
  id: string
  timestamp: string
  signatures: string
}

/** Returns the three headers of Standard Webhooks, or Svix's three older headers. Absent headers are empty. */
export function signedHeaders(headers: Headers): SignedHeaders {
  const header = (name: string) => headers.get(name) ?? ''
  const named = (by: 'webhook' | 'svix') => ({
    id: header(`${by}-id`),
    timestamp: header(`${by}-timestamp`),
    signatures: header(`${by}-signature`),
  })
  return headers.has('webhook-signature') ? named('webhook') : named('svix')
}

/**
 * Returns whether a webhook's body is signed by a single header `t=<epoch seconds>,v1=<HMAC-SHA256 of timestamp.body in
 * hex>`.
 * @param secret the key itself, without a prefix
 */
export function isTimeSigned(
  secret: string,
  { signature, body, now }: Delivered & { signature: string },
): boolean {
  const parts = signature.split(',').map((part) => part.trim())
  const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest()
  const candidates = parts.flatMap((part) => /^v1=([0-9a-f]{64})$/.exec(part)?.[1] ?? [])
  return isRecent(timestamp, now) && hasDigest(candidates, 'hex', digest)
}

function isRecent(timestamp: string, now: number): boolean {
  return (
    /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds
  )
}

function hasDigest(
  digests: readonly string[],
  encoding: 'base64' | 'hex',
  digest: Buffer,
): boolean {
  const equal = digests.map((each) => timingSafeEqual(Buffer.from(each, encoding), digest))
  return equal.includes(true)
}

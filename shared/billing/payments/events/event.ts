import { Stripe } from 'stripe'
import * as z from 'zod'
import { PlatformError } from '#shared/platform/errors.ts'

/** The largest difference between a signature's time and now, in seconds: contract.md 9, Billing. */
const toleranceSeconds = 300

const event = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  /** Epoch seconds, at most the last that a Date can represent. */
  created: z.int().min(0).max(8.64e12),
  data: z.object({ object: z.unknown() }),
  /** The connected account that the event is about; absent for the platform's own account. */
  account: z.string().optional().catch(undefined),
})

/** An event of the payment provider with a valid signature. */
export type PaymentEvent = z.output<typeof event>

/**
 * Verifies and parses an event.
 * @param given the raw body `payload`, and the `Stripe-Signature` header `signature`
 * @throws PlatformError 400 if the signature is invalid or too old, or the body is not an event
 */
export async function readEvent(
  secret: string,
  { payload, signature }: { payload: Uint8Array; signature: string },
): Promise<PaymentEvent> {
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1])
  // The SDK rejects old signatures, but accepts signatures from the future.
  if (!(signedAt <= Date.now() / 1000 + toleranceSeconds)) throw refused()
  const signed: unknown = await Stripe.webhooks
    .constructEventAsync(Buffer.from(payload), signature, secret, toleranceSeconds)
    .catch((cause: unknown) => {
      throw refused(cause)
    })
  const parsed = event.safeParse(signed)
  if (!parsed.success) throw new PlatformError('bad-request', 'The body is not an event')
  return parsed.data
}

function refused(cause?: unknown): PlatformError {
  return new PlatformError('bad-request', 'The signature is not valid', { cause })
}

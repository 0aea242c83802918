import { Stripe } from 'stripe'
import * as z from 'zod'
import { PlatformError } from '../../platform/errors.ts'

/** How far the time of a signature may be from now, in seconds: contract.md 9, Billing. */
const toleranceSeconds = 300

const event = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  /** Epoch seconds. */
  created: z.number(),
  data: z.object({ object: z.unknown() }),
  /** The account of another shop that the provider tells of, where it does; absent for ours. */
  account: z.string().optional().catch(undefined),
})

/** An event of the payment provider whose signature was good. */
export type PaymentEvent = z.output<typeof event>

/**
 * Reads a signed event.
 * @param given `payload` as it came, byte by byte; `signature` is the header Stripe-Signature
 * @throws PlatformError 400 for one that is forged, too old, or no event
 */
export async function readEvent(
  secret: string,
  { payload, signature }: { payload: Uint8Array; signature: string },
): Promise<PaymentEvent> {
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1])
  // The SDK refuses what is too old, and takes what is of a time to come.
  if (!(signedAt <= Date.now() / 1000 + toleranceSeconds)) throw refused()
  const signed: unknown = await Stripe.webhooks
    .constructEventAsync(Buffer.from(payload), signature, secret, toleranceSeconds)
    .catch((cause: unknown) => {
      throw refused(cause)
    })
  const parsed = event.safeParse(signed)
  if (!parsed.success) throw new PlatformError('bad-request', 'The body is no event')
  return parsed.data
}

function refused(cause?: unknown): PlatformError {
  return new PlatformError('bad-request', 'The signature is not valid', { cause })
}

import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A presented payment and what it buys. A payment is used once, for a clone or for an answer. */
export const claimRows = entity({
  name: 'claim of a payment',
  pk: 'payment#{payment}',
  sk: 'claim',
  schema: () =>
    z.object({
      /** An address in lower case. */
      payer: z.string(),
      /** The requested purchase. What the payment bought is for this order alone. */
      order: z.string(),
      /** The result so far, in the format of the noun that sells it. */
      bought: z.record(z.string(), z.unknown()).optional(),
      /** Set when the purchase was delivered in full. */
      used: z.literal(true).optional(),
      /** The attempt that holds the payment, its request's seed, and the end of its hold in epoch milliseconds. */
      holder: z.string().optional(),
      seed: z.string().optional(),
      heldUntil: z.number().optional(),
      /** Epoch seconds. Absent if the payment can always be settled. */
      expiresAt: z.number().optional(),
    }),
})

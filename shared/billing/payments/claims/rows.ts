import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A payment from a request, and its purchase. A payment is used once, for a clone or for an answer. */
export const claimRows = entity({
  name: 'claim of a payment',
  pk: 'payment#{payment}',
  sk: 'claim',
  schema: () =>
    z.object({
      /** An address in lower case. */
      payer: z.string(),
      /** The requested purchase. The payment can only be used for this order. */
      order: z.string(),
      /** The purchase so far, in the format of the feature that sells it. */
      bought: z.record(z.string(), z.unknown()).optional(),
      /** Set when the purchase was delivered in full. */
      used: z.literal(true).optional(),
      /**
       * The attempt that has leased the payment, its request's seed, and the end of the lease in epoch milliseconds.
       */
      holder: z.string().optional(),
      seed: z.string().optional(),
      heldUntil: z.number().optional(),
      /** Epoch seconds. Absent if the payment can always be settled. */
      expiresAt: z.number().optional(),
    }),
})

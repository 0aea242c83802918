import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** A payment that was shown, and what it buys. A payment is used once, for a clone or for an answer. */
export const claimRows = entity({
  name: 'claim of a payment',
  pk: 'payment#{payment}',
  sk: 'claim',
  schema: () =>
    z.object({
      /** Who paid: an address in lower case. */
      payer: z.string(),
      /** What was asked for with it: what it has bought is for that alone. */
      order: z.string(),
      /** What it has bought so far, in the form of the noun that sells it. */
      bought: z.record(z.string(), z.unknown()).optional(),
      /** Everything was handed over. */
      used: z.literal(true).optional(),
      /** The try that works for it, of the request with that seed, and epoch milliseconds until which it may be at work. */
      holder: z.string().optional(),
      seed: z.string().optional(),
      heldUntil: z.number().optional(),
      /** Epoch seconds, where it cannot be settled any more by then. */
      expiresAt: z.number().optional(),
    }),
})

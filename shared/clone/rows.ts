import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** A payment that was taken, by its transaction, and the clone that it paid for. */
export const claimRows = entity({
  name: 'payment for a clone',
  pk: 'payment#{transactionHash}',
  sk: 'clone',
  schema: () =>
    z.object({
      agentId: z.string(),
      userId: z.string().nullable(),
      /** What was asked for: a retry that asks for something else is another clone. */
      order: z.string(),
      /** Everything was copied: the payment is used up. */
      done: z.literal(true).optional(),
    }),
})

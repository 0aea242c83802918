import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * The payments of an agent in a calendar month (UTC), in millionths of a US dollar: `total`, and `day_<DD>` for each
 * day. It outlives the mandate, so that a new mandate does not begin at 0. The payer's partition is denied to all
 * functions that make no payments.
 */
export const mandateUseRows = entity({
  name: 'use of an agent’s mandate',
  pk: 'payer#{agentId}',
  sk: 'mandate-use#{month}',
  schema: () =>
    z.object({ total: z.number().default(0), expiresAt: z.number() }).catchall(z.number()),
})

/** The payments of all agents of the platform on a day (UTC), in millionths of a US dollar. */
export const paymentCapRows = entity({
  name: 'agents’ payments of a day',
  pk: 'payer#all',
  sk: 'day#{day}',
  schema: () => z.object({ total: z.number(), expiresAt: z.number() }),
})

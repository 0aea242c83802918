import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The limits of an agent's payments. The check of the agent's key reads it in the same request. */
export const mandateRows = entity({
  name: 'agent’s mandate',
  pk: 'user#{userId}',
  sk: 'mandate#{agentId}',
  schema: () =>
    z.object({
      /** USD, as decimal strings. */
      perPaymentUsd: z.string(),
      perDayUsd: z.string(),
      perMonthUsd: z.string(),
      /** In lower case; null for any host. */
      hosts: z.array(z.string()).nullable(),
      /** Addresses with their checksums; null for any payee. */
      payees: z.array(z.string()).nullable(),
      /** USD, as a decimal string. A payment above it waits for an approval. */
      askAboveUsd: z.string().nullable(),
      /** ISO 8601. */
      validUntil: z.string().nullable(),
      /** Changes with every write of the mandate. */
      revision: z.string(),
    }),
})

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

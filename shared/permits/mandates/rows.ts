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

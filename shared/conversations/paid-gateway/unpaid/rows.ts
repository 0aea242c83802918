import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * A payer who has paid for the last answer of this seller. Expires 30 days later; deleted when the payer does not pay
 * for an answer.
 */
export const goodPayerRows = entity({
  name: 'payer who has paid',
  pk: 'good-payer#{seller}#{payer}',
  sk: 'payer',
  schema: () => z.object({ expiresAt: z.number() }),
})

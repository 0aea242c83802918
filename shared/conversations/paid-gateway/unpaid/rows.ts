import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/**
 * A payer whose last answer of this seller was paid. Expires 30 days later; deleted when an answer for the payer is not
 * paid.
 */
export const goodPayerRows = entity({
  name: 'payer who has paid',
  pk: 'good-payer#{seller}#{payer}',
  sk: 'payer',
  schema: () => z.object({ expiresAt: z.number() }),
})

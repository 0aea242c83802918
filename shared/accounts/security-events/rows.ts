import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A token whose events a receiver has carried out, by the SHA-256 of the token’s jti. */
export const seenEventRows = entity({
  name: 'security event seen',
  pk: 'risc#{jtiHash}',
  sk: '{receiver}',
  schema: () => z.object({}),
})

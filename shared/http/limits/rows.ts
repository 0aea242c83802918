import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The requests of a caller, or of all anonymous callers in an address block, to a surface in a minute, by limit scope. The key contains the first second of the minute. */
export const limitRows = entity({
  name: 'count of requests',
  pk: 'limit#{surface}#{block}',
  sk: '{start}',
  schema: () => z.object({ expiresAt: z.number() }).catchall(z.number()),
})

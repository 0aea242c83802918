import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** What a caller that is known, or everyone else at one address block, has asked of a surface in a minute, by each limit’s scope; the minute as its first second. */
export const limitRows = entity({
  name: 'count of requests',
  pk: 'limit#{surface}#{block}',
  sk: '{start}',
  schema: () => z.object({ expiresAt: z.number() }).catchall(z.number()),
})

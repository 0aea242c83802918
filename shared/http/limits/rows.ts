import * as z from 'zod'
import { entity } from '../../platform/table/entity.ts'

/** What a client’s address block, or a key by its hash, has asked of a surface in a minute, by each limit’s scope; the minute as its first second. */
export const limitRows = entity({
  name: 'count of requests',
  pk: 'limit#{surface}#{block}',
  sk: '{start}',
  schema: () => z.object({ expiresAt: z.number() }).catchall(z.number()),
})

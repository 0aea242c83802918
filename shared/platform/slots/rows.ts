import * as z from 'zod'
import { entity } from '../table/entity.ts'

/** The open requests of a caller or an address block, of one kind, by expiry: `held_<epoch second>`. */
export const openRows = entity({
  name: 'requests under way',
  pk: 'open#{kind}#{holder}',
  sk: 'open',
  schema: () =>
    z.object({ committed: z.number().default(0), expiresAt: z.number() }).catchall(z.number()),
})

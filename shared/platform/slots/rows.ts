import * as z from 'zod'
import { entity } from '../table/entity.ts'

/** What a caller, or everyone at one address block, has under way of one kind, by when it expires: `held_<epoch second>`. */
export const openRows = entity({
  name: 'requests under way',
  pk: 'open#{kind}#{holder}',
  sk: 'open',
  schema: () =>
    z.object({ committed: z.number().default(0), expiresAt: z.number() }).catchall(z.number()),
})

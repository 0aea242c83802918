import * as z from 'zod'
import { entity } from '../table/entity.ts'

/** The last issued number of each sequence, such as the ids of events. */
export const sequenceRows = entity({
  name: 'sequence',
  pk: 'sequence#{name}',
  sk: 'sequence',
  schema: () => z.object({ last: z.number().int() }),
})

import * as z from 'zod'
import { entity } from '../table/entity.ts'

/** The last number that was given out of those that count up from 1, such as ids of events. */
export const sequenceRows = entity({
  name: 'sequence',
  pk: 'sequence#{name}',
  sk: 'sequence',
  schema: () => z.object({ last: z.number().int() }),
})

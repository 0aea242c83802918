import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** That a notice or a mail went out by a channel, so that no repeat sends it again. */
export const deliveryRows = entity({
  name: 'notice delivery',
  pk: 'notice#{noticeId}',
  sk: '{channel}',
  schema: () =>
    z.object({
      state: z.enum(['sending', 'sent']),
      /** Epoch seconds until which a delivery counts as under way. */
      leaseUntil: z.number(),
    }),
})

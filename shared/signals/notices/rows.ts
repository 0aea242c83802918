import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** A notice or mail that was sent through a channel. The row prevents a second delivery. */
export const deliveryRows = entity({
  name: 'notice delivery',
  pk: 'notice#{noticeId}',
  sk: '{channel}',
  schema: () =>
    z.object({
      state: z.enum(['sending', 'sent']),
      /** Epoch seconds: the end of a running delivery’s lease. */
      leaseUntil: z.number(),
    }),
})

import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'
import { booking } from './schema.ts'

/** What two agents negotiate, by the message that opened it. */
export const bookingRows = entity({
  name: 'booking',
  pk: 'booking#{bookingId}',
  sk: 'booking',
  schema: () => booking,
})

/** A booking in which an agent of the user takes part, newest last. */
export const bookingPointerRows = entity({
  name: 'user’s booking',
  pk: 'user#{userId}',
  sk: 'booking#{createdAt}#{bookingId}',
  schema: () => z.object({ bookingId: z.string() }),
})

/** How many bookings with an agent of the user are in which state. */
export const bookingCountRows = entity({
  name: 'counts of bookings',
  pk: 'user#{userId}',
  sk: 'bookings-counted',
  schema: () =>
    z.object({
      offered: z.number().default(0),
      accepted: z.number().default(0),
      declined: z.number().default(0),
    }),
})

import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'
import { booking } from './schema.ts'

/** A booking that two agents negotiate. Its id is the id of its opening message. */
export const bookingRows = entity({
  name: 'booking',
  pk: 'booking#{bookingId}',
  sk: 'booking',
  schema: () => booking,
})

/** A pointer to a booking of one of the user's agents, sorted by creation. */
export const bookingPointerRows = entity({
  name: 'user’s booking',
  pk: 'user#{userId}',
  sk: 'booking#{createdAt}#{bookingId}',
  schema: () => z.object({ bookingId: z.string() }),
})

/** The number of bookings of the user's agents by state. */
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

import * as z from 'zod'
import { entity } from '#shared/platform/table/entity.ts'

/** The index partition of all events, sorted by date. */
export const eventsPartition = 'events'

/** An event of an agent, with the number of sold tickets, which never exceeds the total. */
export const eventRows = entity({
  name: 'event',
  pk: 'event#{eventId}',
  sk: 'event',
  gsi1: { pk: 'events', sk: '{instant}#{eventId}' },
  schema: () =>
    z.object({
      id: z.number().int(),
      agentId: z.string(),
      name: z.string(),
      description: z.string(),
      venue: z.string(),
      /** The text from the request. */
      eventDate: z.string(),
      ticketPriceUsdc: z.string(),
      totalTickets: z.number().int(),
      sold: z.number().int(),
      createdAt: z.string(),
    }),
})

/** Maps a request to its event, so that a retry creates no second event. Stored for a day. */
export const eventRequestRows = entity({
  name: 'request for an event',
  pk: 'event-request#{seed}',
  sk: 'event',
  schema: () => z.object({ id: z.number().int() }),
})

/** Tickets of an event from one sale. */
export const ticketRows = entity({
  name: 'sold tickets',
  id: 'tkt',
  pk: 'event#{eventId}',
  sk: 'tickets#{purchaseId}',
  schema: () =>
    z.object({
      purchaseId: z.string(),
      quantity: z.number().int(),
      buyer: z.string(),
      soldAt: z.string(),
    }),
})

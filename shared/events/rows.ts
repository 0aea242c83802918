import * as z from 'zod'
import { entity } from '../platform/table/entity.ts'

/** Every event, by when it is held. */
export const eventsPartition = 'events'

/** An event of an agent's, and how many of its tickets are sold; never more than there are. */
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
      /** As it was given. */
      eventDate: z.string(),
      ticketPriceUsdc: z.string(),
      totalTickets: z.number().int(),
      sold: z.number().int(),
      createdAt: z.string(),
    }),
})

/** The event that a request has made, so that its repeat makes no second one; kept a day. */
export const eventRequestRows = entity({
  name: 'request for an event',
  pk: 'event-request#{seed}',
  sk: 'event',
  schema: () => z.object({ id: z.number().int() }),
})

/** Tickets of an event that were sold at once. */
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

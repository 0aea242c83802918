import * as z from 'zod'
import { amountField } from '#shared/money/fields/amount.ts'
import { requiredText } from '#shared/platform/fields.ts'

/**
 * The maximum length of a date. With nanoseconds and a time zone it has 35 characters, but a fraction could have any
 * length.
 */
const longestDate = 64

/** A date in ISO 8601, in UTC without a time zone: contract.md 9, Events. */
const isoDate = z.union(
  [z.iso.datetime({ offset: true, local: true }).max(longestDate), z.iso.date()],
  { error: 'eventDate must be a date in ISO 8601' },
)

/** The body of a new event: spec.md, Underground (backend), and contract.md 9, Events. */
export const newEvent = z
  .object({
    agentId: z.string({ error: 'agentId required' }).min(1, 'agentId required').max(64),
    name: requiredText('name', 200),
    description: z
      .string({ error: 'description required' })
      .max(5_000, 'description must have at most 5000 characters')
      .overwrite((text) => text.toWellFormed()),
    venue: requiredText('venue', 200),
    eventDate: isoDate,
    ticketPriceUsdc: amountField('ticketPriceUsdc'),
    totalTickets: z
      .int({ error: 'totalTickets must be a whole number' })
      .min(1, 'totalTickets must be at least 1')
      .max(1_000_000, 'totalTickets must be at most 1000000'),
  })
  .meta({ id: 'NewEvent' })

export type NewEvent = z.output<typeof newEvent>

/** spec.md, Underground event. */
export const eventView = z
  .object({
    id: z.number(),
    agent_id: z.string(),
    name: z.string(),
    description: z.string(),
    venue: z.string(),
    event_date: z.string(),
    ticket_price_usdc: z.string(),
    total_tickets: z.number(),
  })
  .meta({ id: 'Event' })

export const eventList = z
  .array(eventView)
  .describe('The latest thousand events, latest first; fewer if they are long')

/** Validated by requireEvent. */
export const eventParams = z.object({ id: z.string() })

export const ticketOrder = z
  .object({
    quantity: z
      .int({ error: 'quantity must be a whole number' })
      .min(1, 'quantity must be at least 1')
      .max(1_000, 'quantity must be at most 1000'),
    buyer: requiredText('buyer', 200),
  })
  .meta({ id: 'TicketOrder' })

export type TicketOrder = z.output<typeof ticketOrder>

export const ticketsSold = z
  .object({
    ticketIds: z.array(z.string()),
    remaining: z.number().describe('Tickets left'),
  })
  .meta({ id: 'SoldTickets' })

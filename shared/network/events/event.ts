import type * as z from 'zod'
import { notFound } from '#shared/platform/errors.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { eventRows } from './rows.ts'
import type { eventView } from './schema.ts'

export type Event = z.output<ReturnType<(typeof eventRows)['declared']['schema']>>

/**
 * Returns an event.
 * @param id from the URL; must be an integer from 1
 * @throws PlatformError 404
 */
export async function requireEvent({ table }: { table: Table }, id: string): Promise<Event> {
  const row = /^[1-9]\d{0,14}$/.test(id)
    ? await table.get(eventRows.key({ eventId: id }))
    : undefined
  if (row === undefined) throw notFound('Event')
  return eventRows.parse(row)
}

/** Returns the public form of an event: spec.md. */
export function viewOf(event: Event): z.input<typeof eventView> {
  return {
    id: event.id,
    agent_id: event.agentId,
    name: event.name,
    description: event.description,
    venue: event.venue,
    event_date: event.eventDate,
    ticket_price_usdc: event.ticketPriceUsdc,
    total_tickets: event.totalTickets,
  }
}
